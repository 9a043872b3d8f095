import { HiveError } from "@worktree-hive/domain";
import { ISSUES, WORLD } from "./world.ts";

/** What the operator does on the forge by hand; each call is the forge's ordinary API with her own token. */
export interface People {
  connectWebhook(hiveUrl: string): Promise<void>;
  /** Files the three issues; their numbers. */
  fileIssues(): Promise<readonly number[]>;
  merge(pull: number): Promise<void>;
  close(pull: number): Promise<void>;
  /** How many comments with the hive's report a pull request has. */
  reports(pull: number): Promise<number>;
}

export function people(forgeUrl: string): People {
  const base = `/repos/${WORLD.owner}/${WORLD.repository}`;
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(new URL(`${base}${path}`, forgeUrl), {
      method,
      headers: { authorization: `token ${WORLD.operatorToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return response.json();
    throw new HiveError(
      "FORGE_REFUSED",
      "invalid",
      `${method} ${path}: ${response.status} ${await response.text()}`,
    );
  };
  return {
    connectWebhook: async (hiveUrl) => {
      const config = { url: `${hiveUrl}/webhooks/github`, content_type: "json", secret: WORLD.webhookSecret };
      await call("POST", "/hooks", { name: "web", active: true, events: ["*"], config });
    },
    fileIssues: async () => {
      const numbers: number[] = [];
      for (const issue of ISSUES) {
        const filed = (await call("POST", "/issues", { ...issue, labels: ["hive"] })) as { number: number };
        numbers.push(filed.number);
      }
      return numbers;
    },
    merge: async (pull) => {
      await call("PUT", `/pulls/${pull}/merge`, {});
    },
    close: async (pull) => {
      await call("PATCH", `/pulls/${pull}`, { state: "closed" });
    },
    reports: async (pull) => {
      const comments = (await call("GET", `/issues/${pull}/comments?per_page=100`)) as { body: string }[];
      return comments.filter(({ body }) => body.includes("kind=report")).length;
    },
  };
}
