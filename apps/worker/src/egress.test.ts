import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "@worktree-hive/contracts";
import { systemClock, type VerdictRecord } from "@worktree-hive/domain";
import { EGRESS_RULE, type EgressProxy } from "@worktree-hive/jail";
import { createLog } from "@worktree-hive/log";
import { ruleOf } from "@worktree-hive/policy";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEgress } from "./egress.ts";
import { dataLayout } from "./layout.ts";

describe("the egress proxy of a job", () => {
  let directory: string;
  let services: Server[];
  let hosts: string[];
  let proxy: EgressProxy;
  const recorded: VerdictRecord[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "hive-egress-"));
    services = [1, 2, 3].map(() => createServer((_request, response) => response.end()));
    await Promise.all(
      services.map((one) => new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve))),
    );
    hosts = services.map((one) => `127.0.0.1:${(one.address() as AddressInfo).port}`);
    const parsed = parseConfig(
      JSON.stringify({
        agent: { type: "acp", command: ["agent"] },
        egress: { allow: [hosts[0]] },
        repositories: [
          { name: "acme/app", egress_allow: [hosts[1]] },
          { name: "acme/other", egress_allow: [hosts[2]] },
        ],
      }),
      { file: "hive.yaml" },
    );
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    proxy = await openEgress(
      {
        config: parsed.config,
        layout: dataLayout(directory),
        clock: systemClock,
        log: createLog({ level: "silent" }),
      },
      { id: "job-1", repository: { owner: "acme", name: "app" } },
      async (verdict) => void recorded.push(verdict),
    );
  });
  afterAll(async () => {
    await proxy.close();
    for (const one of services) one.close();
    await rm(directory, { recursive: true });
  });

  const ask = (host: string | undefined): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const options = { socketPath: proxy.socketPath, path: `http://${host}/`, agent: false };
      request(options, (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });

  it("opens the hosts of the configuration and of the job's repository, not of another's", async () => {
    expect(await Promise.all(hosts.map(ask))).toEqual([200, 200, 403]);
  });

  it("WH-031 records a refused host once, by a rule of the table, and not without end", async () => {
    await ask(hosts[2]);
    expect(recorded).toMatchObject([
      { jobId: "job-1", layer: "egress", rule: EGRESS_RULE, decision: "deny", subject: `GET ${hosts[2]}` },
    ]);
    expect(ruleOf(EGRESS_RULE).judges).toEqual(["egress"]);
    for (let port = 1; port <= 120; port += 1) expect(await ask(`a.test:${port}`)).toBe(403);
    expect(recorded).toHaveLength(100);
  });
});
