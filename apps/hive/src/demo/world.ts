import { fileURLToPath } from "node:url";

/** The people, tokens and names of the demo's forge. */
export const WORLD = {
  owner: "acme",
  repository: "app",
  hiveToken: "demo-hive-token",
  operatorToken: "demo-operator-token",
  webhookSecret: "demo-webhook-secret",
  operator: "ann",
  reviewer: "ravi",
} as const;

/** The three issues, in the order in which they are filed. */
export const ISSUES = [
  { title: "Add a slug function", body: "A title should become part of a URL: `one-small-step`." },
  { title: "Parse durations", body: "Read `90s`, `15m` and `2h` as seconds." },
  { title: "Show the build number", body: "Read it from the build server." },
] as const;

/** The agent's script, shipped beside the code. */
export const SCRIPT_FILE = fileURLToPath(new URL("../../demo/agent-script.yaml", import.meta.url));

/** The seed of the fake forge; `source` is the path of the git repository that it clones. */
export function forgeSeed(source: string): object {
  const { owner, repository, operator, reviewer } = WORLD;
  const fullName = `${owner}/${repository}`;
  return {
    users: [
      { login: owner, type: "Organization" },
      { login: operator, name: "Ann Operator" },
      { login: reviewer, name: "Ravi Reviewer" },
      { login: "hive", type: "Bot" },
    ],
    tokens: [
      { token: WORLD.operatorToken, login: operator, admin: true },
      {
        token: WORLD.hiveToken,
        login: "hive",
        repositories: [fullName],
        permissions: {
          contents: "write",
          pull_requests: "write",
          issues: "write",
          checks: "read",
          actions: "read",
          statuses: "read",
          metadata: "read",
        },
      },
    ],
    repositories: [
      {
        owner,
        name: repository,
        source,
        collaborators: { [operator]: "admin", [reviewer]: "write", hive: "write" },
        protected: true,
        labels: [{ name: "hive" }],
        // The forge checks the pushed commit out and runs this in it.
        checks: [
          { name: "test", command: "node --test checks/*.test.mjs", required: true, timeoutSeconds: 30 },
        ],
      },
    ],
    reviewers: [
      {
        repository: fullName,
        pullTitleMatches: "durations",
        login: reviewer,
        on: "checks_passed",
        threads: [
          { path: "checks/duration.mjs", line: 1, body: "Please read days as well." },
          { path: "checks/duration.mjs", line: 4, body: "A bad text should say what is allowed." },
        ],
      },
    ],
  };
}
