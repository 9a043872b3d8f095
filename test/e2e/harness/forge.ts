import { type FakeForge, startFakeForge } from "@worktree-hive/fake-forge";
import { judgeAnswersAtEnd } from "../../fidelity/judge-answers.ts";

export const OWNER = "acme";
export const REPOSITORY = "app";
export const HIVE_TOKEN = "e2e-hive-token";
export const OPERATOR_TOKEN = "e2e-operator-token";
export const WEBHOOK_SECRET = "e2e-webhook-secret";

/** At the end of each test file that imports this, everything that its forges answered is judged. */
export const observe = judgeAnswersAtEnd();

export interface ForgeReviewer {
  readonly pullTitleMatches: string;
  readonly threads: readonly { readonly path: string; readonly line: number; readonly body: string }[];
}

/** A forge with one small repository whose check runs what is pushed. */
export async function startForge(
  dataDir: string,
  reviewers: readonly ForgeReviewer[] = [],
  options: { readonly hiveToken?: string; readonly requireCheck?: boolean } = {},
): Promise<FakeForge> {
  const { hiveToken = HIVE_TOKEN, requireCheck = true } = options;
  return startFakeForge({
    dataDir,
    observe,
    seed: {
      users: [
        { login: OWNER, type: "Organization" },
        { login: "ann" },
        { login: "ravi" },
        { login: "hive", type: "Bot" },
      ],
      tokens: [
        { token: OPERATOR_TOKEN, login: "ann", admin: true },
        {
          token: hiveToken,
          login: "hive",
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
          owner: OWNER,
          name: REPOSITORY,
          files: { "README.md": "# app\n" },
          collaborators: { ann: "admin", ravi: "write", hive: "write" },
          protected: true,
          labels: [{ name: "hive" }],
          checks: [{ name: "test", command: "sh check.sh", required: requireCheck }],
        },
      ],
      reviewers: reviewers.map((reviewer) => ({
        ...reviewer,
        threads: [...reviewer.threads],
        repository: `${OWNER}/${REPOSITORY}`,
        login: "ravi",
        on: "checks_passed" as const,
      })),
    },
  });
}

/** The operator's own calls of the forge's API. */
export function operator(forgeUrl: string) {
  const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${forgeUrl}/repos/${OWNER}/${REPOSITORY}${path}`, {
      method,
      headers: { authorization: `token ${OPERATOR_TOKEN}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  return {
    call,
    fileIssue: async (title: string): Promise<number> =>
      (await call<{ number: number }>("POST", "/issues", { title, body: title, labels: ["hive"] })).number,
    merge: (pull: number) => call("PUT", `/pulls/${pull}/merge`, {}),
    close: (pull: number) => call("PATCH", `/pulls/${pull}`, { state: "closed" }),
    pulls: () =>
      call<{ number: number; head: { sha: string; ref: string }; state: string }[]>(
        "GET",
        "/pulls?state=all",
      ),
    comments: (number: number) =>
      call<{ body: string; user: { login: string } }[]>("GET", `/issues/${number}/comments`),
    reviewComments: (pull: number) =>
      call<{ id: number; body: string; in_reply_to_id?: number; user: { login: string } }[]>(
        "GET",
        `/pulls/${pull}/comments`,
      ),
    commits: (pull: number) =>
      call<{ sha: string; commit: { message: string } }[]>("GET", `/pulls/${pull}/commits`),
    connectWebhook: (hiveUrl: string) =>
      call("POST", "/hooks", {
        name: "web",
        active: true,
        events: ["*"],
        config: { url: `${hiveUrl}/webhooks/github`, content_type: "json", secret: WEBHOOK_SECRET },
      }),
  };
}

/** Every merge door that was tried with the hive's token. */
export async function doorsTriedByHive(forgeUrl: string): Promise<readonly unknown[]> {
  const response = await fetch(`${forgeUrl}/_forge/doors`);
  const { doors } = (await response.json()) as { doors: { login: string }[] };
  return doors.filter(({ login }) => login.startsWith("hive"));
}
