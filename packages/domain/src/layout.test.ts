import { describe, expect, it } from "vitest";
import { jobIdOf } from "./job-id.ts";
import { jobBranch, titleSlug, worktreePath } from "./layout.ts";
import { parseRepositorySlug } from "./repository.ts";

describe("layout", () => {
  it("WH-070 puts a worktree at root, owner, repository, job", () => {
    expect(worktreePath("/srv/wt/", { owner: "acme", name: "app" }, "7-abcdef")).toBe(
      "/srv/wt/acme/app/7-abcdef",
    );
  });

  it.each(["..", ".", "", "a/b", "-x", "a\0b"])("WH-071 refuses %j as a part of the path", (part) => {
    expect(() => worktreePath("/srv/wt", { owner: part, name: "app" }, "7")).toThrow("cannot be part");
    expect(() => worktreePath("/srv/wt", { owner: "acme", name: "app" }, part)).toThrow("cannot be part");
    expect(parseRepositorySlug(`${part}/app`)).toBeNull();
  });

  it("names the branch after the job and the title", () => {
    expect(jobBranch("7-abcdef", "Add a greeting, please!")).toBe("hive/7-abcdef/add-a-greeting-please");
    expect(titleSlug("日本語")).toBe("work");
  });

  it("gives the same issue and generation the same job id, and the next generation another", () => {
    expect(jobIdOf("acme/app#7", 7, 1)).toBe(jobIdOf("acme/app#7", 7, 1));
    expect(jobIdOf("acme/app#7", 7, 1)).not.toBe(jobIdOf("acme/app#7", 7, 2));
  });
});
