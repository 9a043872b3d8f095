import { canSee } from "../auth/access.ts";
import type { Issue } from "../state/issues.ts";
import { fullName, isPull, repositoryOf } from "../state/lookup.ts";
import { type Context, problem } from "./context.ts";

type Test = (issue: Issue) => boolean;

/** Issues and pull requests that match GitHub's search words, newest first. Unknown qualifiers are an error. */
export function searchIssues({ forge, viewer }: Context, query: string): Issue[] {
  const words = query.match(/(?:[^\s"]+|"[^"]*")+/g) ?? [];
  const tests = words.map((word) =>
    testOf(word, (issue) => fullName(repositoryOf(forge, issue.repositoryId))),
  );
  return forge.state.issues
    .filter((it) => canSee(viewer, repositoryOf(forge, it.repositoryId)) && tests.every((test) => test(it)))
    .toReversed();
}

function testOf(word: string, repositoryName: (issue: Issue) => string): Test {
  const [, qualifier, quoted = ""] = /^([a-z]+):(.*)$/.exec(word) ?? [];
  const value = quoted.replaceAll('"', "");
  switch (qualifier) {
    case "repo":
      return (it) => repositoryName(it).toLowerCase() === value.toLowerCase();
    case "is":
    case "type":
    case "state":
      return stateTest(value);
    case "label":
      return (it) => it.labels.includes(value);
    case "author":
      return (it) => it.author === value;
    case "assignee":
      return (it) => it.assignees.includes(value);
    case "head":
      return (it) => it.pull?.headRef === value;
    case "base":
      return (it) => it.pull?.baseRef === value;
    case "sort":
    case "archived":
      return () => true;
    case undefined:
      return (it) =>
        `${it.title} ${it.body ?? ""}`.toLowerCase().includes(word.replaceAll('"', "").toLowerCase());
    default:
      throw problem("UNPROCESSABLE", `fake-forge does not model the search qualifier ${qualifier}:`);
  }
}

function stateTest(value: string): Test {
  switch (value) {
    case "pr":
      return isPull;
    case "issue":
      return (it) => !isPull(it);
    case "merged":
      return (it) => typeof it.pull?.mergedAt === "string";
    case "draft":
      return (it) => it.pull?.draft === true;
    case "open":
    case "closed":
      return (it) => it.state === value;
    default:
      throw problem("UNPROCESSABLE", `fake-forge does not model the search word ${value}`);
  }
}
