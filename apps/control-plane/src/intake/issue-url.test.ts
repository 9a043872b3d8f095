import { describe, expect, it } from "vitest";
import { parseIssueUrl } from "./issue-url.ts";

const issue = { repository: { owner: "acme", name: "app" }, number: 12 };

describe("parseIssueUrl", () => {
  it.each([
    ["https://github.com/acme/app/issues/12", "https://github.com"],
    ["https://github.com/acme/app/issues/12/?a=b#issuecomment-1", "https://github.com/"],
    [" acme/app#12 ", "https://github.com"],
    ["http://127.0.0.1:7500/acme/app/issues/12", "http://127.0.0.1:7500"],
    ["https://host/git/acme/app/issues/12", "https://host/git/"],
  ])("reads %s", (text, forge) => {
    expect(parseIssueUrl(text, forge)).toEqual(issue);
  });

  it.each([
    "https://evil.example/acme/app/issues/12",
    "https://github.com.evil.example/acme/app/issues/12",
    "http://github.com/acme/app/issues/12",
    "https://github.com/acme/app/pull/12",
    "https://github.com/acme/app/issues/0",
    "https://github.com/acme/app/issues/12/edit",
    "https://github.com/acme/../issues/12",
    "acme/app#99999999999999999999",
    "../app#1",
    "-x/app#1",
    "12",
    "",
  ])("refuses %j", (text) => {
    expect(() => parseIssueUrl(text, "https://github.com")).toThrowError(
      expect.objectContaining({ code: "ISSUE_URL_INVALID", kind: "invalid" }),
    );
  });
});
