import { createLog } from "@worktree-hive/log";
import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { knownHosts } from "./known-hosts.ts";
import { problems } from "./problems.ts";

async function status(
  host: string,
  header: string,
  url = "/api/jobs",
  names: string[] = [],
): Promise<number> {
  const app = fastify();
  app.register(problems, { log: createLog({ level: "silent" }) });
  app.register(knownHosts, { host, names });
  app.get("/api/jobs", async () => "jobs");
  app.post("/webhooks/github", async () => "kept");
  const method = url.startsWith("/api") ? "GET" : "POST";
  const answer = await app.inject({ method, url, headers: { host: header } });
  await app.close();
  return answer.statusCode;
}

describe("the known hosts", () => {
  it.each(["localhost:7400", "LOCALHOST", "127.0.0.1:7400", "[::1]:7400", "hive.local"])(
    "lets %s through on loopback",
    async (header) => {
      expect(await status("127.0.0.1", header, "/api/jobs", ["Hive.local"])).toBe(200);
    },
  );

  it.each(["evil.example", "evil.example:7400", "localhost.evil.example", "127.0.0.1.evil.example", "a b"])(
    "refuses %j on loopback",
    async (header) => {
      expect(await status("127.0.0.1", header)).toBe(403);
    },
  );

  it("lets a webhook through by any name, and any name where the server is not on loopback", async () => {
    expect(await status("127.0.0.1", "tunnel.example", "/webhooks/github")).toBe(200);
    expect(await status("0.0.0.0", "hive.example")).toBe(200);
  });
});
