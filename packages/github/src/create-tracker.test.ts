import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitHub, type GitHubOptions } from "./index.ts";
import { NAME, REPO, Wire } from "./testing/wire.ts";

let wire: Wire;

beforeEach(async () => {
  wire = new Wire();
  await wire.listen();
});

afterEach(() => wire.close());

function github(options: Partial<GitHubOptions> = {}) {
  return createGitHub({
    apiUrl: wire.url,
    token: "t0ken",
    writeSpacingMs: 0,
    retryBaseMs: 1,
    ...options,
  });
}

describe("tracker", () => {
  const entry = (number: number, changes: Record<string, unknown> = {}) => ({
    number,
    html_url: "u",
    title: "t",
    body: null,
    state: "open",
    user: { id: 1, login: "ada", type: "User" },
    labels: [{ name: "hive" }, "old"],
    ...changes,
  });

  it("S48 lists open issues by label, oldest first, without pull requests", async () => {
    wire.on(`GET ${REPO}/issues`, () => [entry(1), entry(2, { pull_request: { url: "u" } }), entry(3)]);

    const issues = await github().tracker.openIssues(NAME, { labels: ["hive", "good first"] });

    expect(issues.map((issue) => issue.number)).toEqual([1, 3]);
    expect(issues[0]).toMatchObject({ key: "octo/app#1", body: "", labels: ["hive", "old"], open: true });
    expect(wire.seen.at(-1)?.path).toMatch(
      /state=open&sort=created&direction=asc.*labels=hive%2Cgood%20first/,
    );
  });

  it("S48 says that a number is a pull request", async () => {
    wire.on(`GET ${REPO}/issues/2`, () => entry(2, { pull_request: { url: "u" } }));

    expect(await github().tracker.issue(NAME, 2)).toMatchObject({ isPull: true, tracker: "github" });
  });
});
