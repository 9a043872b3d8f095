import { createHmac } from "node:crypto";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { parseDelivery, verifySignature } from "./index.ts";

interface ExampleSet {
  readonly name: string;
  readonly examples: readonly unknown[];
}

const EXAMPLES = createRequire(import.meta.url)("@octokit/webhooks-examples") as readonly ExampleSet[];
const SECRET = "It's a Secret to Everybody";
const VECTOR = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

function sign(secret: string, body: Buffer): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

describe("verifySignature", () => {
  const body = Buffer.from("Hello, World!");

  it("S41 accepts GitHub's own test vector", () => {
    expect(verifySignature({ secrets: [SECRET], body, signature: VECTOR })).toBe(true);
  });

  it.each([
    ["missing", undefined],
    ["empty", ""],
    ["wrong", VECTOR.replace("7", "8")],
    ["too short", VECTOR.slice(0, -1)],
    ["too long", `${VECTOR}0`],
    ["upper-case", VECTOR.toUpperCase()],
    ["of upper-case digits", `sha256=${VECTOR.slice(7).toUpperCase()}`],
    ["SHA-1", `sha1=${createHmac("sha1", SECRET).update("Hello, World!").digest("hex")}`],
    ["without scheme", VECTOR.slice(7)],
    ["not hexadecimal", `sha256=${"z".repeat(64)}`],
  ])("S41 refuses a signature that is %s", (_what, signature) => {
    expect(verifySignature({ secrets: [SECRET], body, signature })).toBe(false);
  });

  it("S41 works on the bytes: emoji and CRLF pass, the same JSON written again does not", () => {
    const raw = Buffer.from('{ "title": "🐝",\r\n "n": 1.0 }');
    const again = Buffer.from(JSON.stringify(JSON.parse(raw.toString())));
    const signature = sign(SECRET, raw);

    expect(verifySignature({ secrets: [SECRET], body: raw, signature })).toBe(true);
    expect(verifySignature({ secrets: [SECRET], body: again, signature })).toBe(false);
  });

  it("S41 accepts either of two secrets, and nothing without one", () => {
    const signature = sign("new", body);

    expect(verifySignature({ secrets: ["new", "old"], body, signature })).toBe(true);
    expect(verifySignature({ secrets: ["old", "new"], body, signature })).toBe(true);
    expect(verifySignature({ secrets: [], body, signature })).toBe(false);
    expect(verifySignature({ secrets: [""], body, signature: sign("", body) })).toBe(false);
  });
});

describe("parseDelivery", () => {
  const used = new Set([
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "check_run",
    "check_suite",
    "workflow_run",
    "workflow_job",
    "status",
    "issues",
    "issue_comment",
  ]);

  it("reads or refuses by name every example payload of GitHub", () => {
    const facts = EXAMPLES.flatMap(({ name, examples }) =>
      examples.map((payload) => ({ name, fact: parseDelivery(name, payload) })),
    );

    expect(facts).toHaveLength(329);
    const unread = facts.filter(({ name, fact }) => used.has(name) && fact.kind === "ignored");
    expect(unread).toEqual([]);
    const strange = facts.filter(
      ({ name, fact }) =>
        fact.kind === "ignored" && name !== "push" && fact.why !== `event ${name} is not used`,
    );
    expect(strange).toEqual([]);
  });

  it("says what each kind of event is about", () => {
    const first = (name: string, index = 0) => {
      const payload = EXAMPLES.find((entry) => entry.name === name)?.examples[index];
      return parseDelivery(name, payload);
    };
    const repository = { owner: "Codertocat", name: "Hello-World" };

    expect(first("pull_request")).toMatchObject({ kind: "pull", repository, number: 2, branch: "changes" });
    expect(first("check_suite")).toMatchObject({
      kind: "checks",
      repository,
      branch: "changes",
      numbers: [2],
    });
    expect(first("issues")).toMatchObject({ kind: "issue", repository, number: 1 });
    expect(first("issue_comment")).toMatchObject({ kind: "comment", repository, number: 1, isPull: false });
    expect(first("push", 4)).toMatchObject({ kind: "push", repository, branch: "master" });
    expect(first("ping")).toEqual({ kind: "ping" });
  });

  it("S10 reads the checks of a fork, which name neither branch nor pull request", () => {
    const fact = parseDelivery("workflow_run", {
      repository: { full_name: "octo/app" },
      workflow_run: { head_sha: "a".repeat(40), head_branch: null, pull_requests: [] },
    });

    expect(fact).toEqual({
      kind: "checks",
      repository: { owner: "octo", name: "app" },
      head: "a".repeat(40),
      branch: null,
      numbers: [],
    });
  });

  it.each([null, undefined, 1, "text", [], {}, { repository: { full_name: "../../etc" } }])(
    "does not throw on %j",
    (payload) => {
      for (const { name } of EXAMPLES) {
        expect(["ignored", "ping"]).toContain(parseDelivery(name, payload).kind);
      }
    },
  );

  it("ignores tags and deleted branches", () => {
    const payload = { repository: { full_name: "o/r" }, after: "0".repeat(40), deleted: true };

    expect(parseDelivery("push", { ...payload, ref: "refs/heads/x" })).toMatchObject({ kind: "ignored" });
    expect(parseDelivery("push", { ...payload, ref: "refs/tags/x" })).toMatchObject({ kind: "ignored" });
  });
});
