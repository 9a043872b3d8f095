import { describe, expect, it } from "vitest";
import { formatApiPath, parseApiPath } from "./api-path.ts";
import { judgeGraphql } from "./judge-graphql.ts";
import { judgeRest } from "./judge-rest.ts";

const repository = { owner: "acme", name: "app" };

describe("parseApiPath", () => {
  it.each([
    ["/repos/a/b", "/repos/a/b"],
    ["https://api.github.com/repos/a/b?x=1#y", "/repos/a/b?x=1"],
    ["/api/v3/repos/a/b", "/repos/a/b"],
    ["/repos//a/./c/../b/", "/repos/a/b"],
    ["/repos/a/b/branches/hive%2Fjob", "/repos/a/b/branches/hive/job"],
    ["/repos/a/b/contents/a%20b", "/repos/a/b/contents/a%20b"],
  ])("reads %s as %s", (target, expected) => {
    const path = parseApiPath(target);
    expect(path === null ? null : formatApiPath(path)).toBe(expected);
  });

  it.each(["/../x", "/a%00", "/a%5cb", "/%2525", "/a%252e", "/%ff", "/x?access_token=1"])(
    "refuses %s",
    (target) => expect(parseApiPath(target)).toBeNull(),
  );
});

describe("judgeRest", () => {
  const judge = (method: string, path: string, allowedPull?: number): string =>
    judgeRest({ method, path, repository, ...(allowedPull === undefined ? {} : { allowedPull }) }).rule;

  it("WH-008 a repository or branch named merge is no merge", () => {
    expect(judge("GET", "/repos/acme/app/branches/merge")).toBe("api.read");
    expect(judge("GET", "/repos/acme/app/contents/merges/x")).toBe("api.read");
  });

  it("WH-028 keeps to the own repository and pull request", () => {
    expect(judge("GET", "/repos/acme/app2")).toBe("api.other-repository");
    expect(judge("GET", "/repos/acme/app/pulls/8", 7)).toBe("api.other-pull");
    expect(judge("GET", "/repos/ACME/App/pulls/7", 7)).toBe("api.read");
    expect(judge("GET", "/repos/acme/app/pulls/comments/8", 7)).toBe("api.read");
  });

  it("WH-022 refuses what is not listed, in any method", () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"]) {
      expect(judge(method, "/repos/acme/app/pulls/7")).toBe("api.write");
    }
    expect(judge("GET", "/repos/acme/app/hooks")).toBe("api.unlisted");
    expect(judge("GET", "/repos/acme/app/check-runs/x")).toBe("api.unlisted");
  });
});

describe("judgeGraphql", () => {
  const judge = (query: string, variables?: Record<string, unknown>, operationName?: string): string =>
    judgeGraphql({
      query,
      repository,
      ...(variables === undefined ? {} : { variables }),
      ...(operationName === undefined ? {} : { operationName }),
    }).rule;
  const own = 'repository(owner:"Acme",name:"app")';

  it("allows queries of the own repository, named directly or by variable or default", () => {
    expect(judge(`{${own}{pullRequest(number:7){title}}}`)).toBe("api.read");
    const byVariable = "query($o:String!,$n:String!){repository(owner:$o,name:$n){id}}";
    expect(judge(byVariable, { o: "acme", n: "app" })).toBe("api.read");
    expect(judge('query($o:String="acme"){repository(owner:$o,name:"app"){id}}')).toBe("api.read");
    expect(judge('query($o:String="acme"){repository(owner:$o,name:"app"){id}}', { o: "evil" })).toBe(
      "api.other-repository",
    );
    expect(judge(byVariable, { o: "acme" })).toBe("api.malformed");
  });

  it.each([
    ['{a:repository(owner:"evil",name:"app"){id}}', "api.other-repository"],
    ['query{...F} fragment F on Query{search(query:"x",type:ISSUE){issueCount}}', "api.unlisted"],
    ['{node(id:"x"){id}}', "api.unlisted"],
    ["{...on Query{...F}} fragment F on Query{...F}", "api.malformed"],
    ["{viewer{repositories{totalCount}}}", "api.other-repository"],
    [`{${own}{owner{...on User{repositories{totalCount}}}}}`, "api.other-repository"],
    [`{${own}{...F}} fragment F on Repository{forks{totalCount}}`, "api.other-repository"],
    ["query A{viewer{login}} query B{viewer{login}}", "api.malformed"],
    ["{", "api.malformed"],
    ["type X{a:Int}", "api.malformed"],
    [`{viewer{login ${"login ".repeat(11_000)}}}`, "api.malformed"],
    ["subscription{x}", "api.write"],
  ])("refuses %s", (query, rule) => {
    expect(judge(query)).toBe(rule);
  });

  it.each([
    ["mergePullRequest", "merge.graphql"],
    ["enqueuePullRequest", "merge.graphql"],
    ["mergeBranch", "merge.graphql"],
    ["enablePullRequestAutoMerge", "merge.auto"],
    ["createCommitOnBranch", "api.write"],
    ["updateRef", "api.write"],
    ["addPullRequestReview", "api.write"],
    ["addComment", "api.write"],
  ])("WH-005 S40 refuses %s, aliased, in a fragment and beside a query", (field, rule) => {
    expect(judge(`mutation{x:${field}(input:{}){clientMutationId}}`)).toBe(rule);
    expect(judge(`mutation{...F} fragment F on Mutation{${field}(input:{}){clientMutationId}}`)).toBe(rule);
    const beside = `query Q{viewer{login}} mutation M{${field}(input:{}){clientMutationId}}`;
    expect(judge(beside, {}, "Q")).toBe(rule);
  });
});
