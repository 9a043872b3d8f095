import type { HiveConfig } from "@worktree-hive/contracts";
import { HiveError, messageOf } from "@worktree-hive/domain";
import { ExecError, run } from "@worktree-hive/exec";
import { redact } from "@worktree-hive/log";
import { directoryOwner } from "@worktree-hive/store";
import { chooseIsolation, forgeOf, type Secrets, storeDirectory } from "@worktree-hive/worker";
import pc from "picocolors";
import type { CliContext } from "../cli/context.ts";
import { exitCodeFor } from "../cli/exit-codes.ts";
import { loadConfig } from "../cli/load-config.ts";
import { checkDataDir } from "./check-data-dir.ts";
import { checkServers } from "./check-servers.ts";
import { checkForge, checkGit, checkPort, unprotectedBases } from "./preflight.ts";
import { readSecrets } from "./secrets.ts";

/** One line of the doctor's report; `code` and `hint` belong to what is not as it should be. */
interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly hint?: string;
  readonly code?: string;
}

/** Prints every finding; the exit code is that of the first that is not ok. */
export async function doctor(context: CliContext): Promise<void> {
  const findings: Finding[] = [
    await look("node", () => Promise.resolve(process.version.slice(1))),
    await look("git", checkGit),
    await look("bubblewrap", () => versionOf("bwrap", "not installed; agents run without a sandbox")),
    await look("gh", () => versionOf("gh", "not installed; only agents that call it need it")),
  ];
  const config: { known?: HiveConfig } = {};
  findings.push(
    await look("configuration", async () => {
      config.known = await loadConfig(context.config);
      return `${context.config}, repositories: ${config.known.repositories.map(({ name }) => name).join(", ") || "none"}`;
    }),
  );
  if (config.known !== undefined) findings.push(...(await withConfig(config.known)));
  context.output.result(findings, (all) => all.map(line).join("\n"));
  const failed = findings.find((finding) => !finding.ok);
  if (failed !== undefined) process.exitCode = exitCodeFor(failed.code ?? "");
}

async function withConfig(config: HiveConfig): Promise<Finding[]> {
  const owner = await directoryOwner(storeDirectory(config.data_dir));
  const secrets: { known?: Secrets } = {};
  return [
    await look("secrets", async () => {
      secrets.known = await readSecrets(config, process.env, { webhooks: true });
      return "the forge token and the webhook secret are set";
    }),
    ...(secrets.known === undefined ? [] : await withSecrets(config, secrets.known)),
    await look("sandbox", async () => {
      const isolation = await chooseIsolation(config);
      return isolation.kind === "none" ? `none: ${isolation.reason}` : `${isolation.kind} works`;
    }),
    await look("allowed owners", () => allowedOwners(config)),
    await look("data directory", async () => {
      if (owner !== null) return `${config.data_dir}, in use by the hive of process ${owner}`;
      await checkDataDir(config.data_dir);
      return `${config.data_dir}, free`;
    }),
    await look("port", async () => {
      const { host, port } = config.server;
      if (owner !== null) return `${host}:${port}, not looked at while the hive runs`;
      await checkPort(config.server);
      return `${host}:${port}, free`;
    }),
  ];
}

async function withSecrets(config: HiveConfig, secrets: Secrets): Promise<Finding[]> {
  return [
    await look("stores", async () => {
      checkServers({ controlPlane: true, worker: true }, secrets);
      return secrets.databaseUrl === null ? "embedded in the data directory" : "servers, not asked";
    }),
    await look("forge", async () => {
      const login = await checkForge(config, forgeOf(config, secrets).forge);
      return `${config.github.api_url} as ${login}`;
    }),
    await look("base branches", async () => {
      const open = await unprotectedBases(config, forgeOf(config, secrets).forge);
      return open.length === 0
        ? "protected"
        : `UNPROTECTED, a token that may push may merge: ${open.join(", ")}`;
    }),
  ];
}

function allowedOwners({ allowed_owners: owners }: HiveConfig): Promise<string> {
  if (owners.length > 0) return Promise.resolve(owners.join(", "));
  return Promise.reject(
    new HiveError("CONFIG_INVALID", "invalid", "allowed_owners is empty, so every repository is denied", {
      hint: "list the owners that the hive may work for",
    }),
  );
}

/** What a program says of its version; `absent` when there is none. */
async function versionOf(program: string, absent: string): Promise<string> {
  try {
    const said = await run(program, ["--version"], { cwd: "/", timeoutMs: 10_000 });
    return /\d+(\.\d+)+/.exec(said.stdout.toString())?.[0] ?? "does not say its version";
  } catch (error) {
    if (error instanceof ExecError) return absent;
    throw error;
  }
}

async function look(name: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, detail: await check() };
  } catch (error) {
    const detail = redact(messageOf(error));
    if (!(error instanceof HiveError)) return { name, ok: false, detail };
    const { code, hint } = error;
    return { name, ok: false, detail, code, ...(hint === undefined ? {} : { hint }) };
  }
}

function line({ name, ok, detail, hint }: Finding): string {
  const text = `${ok ? pc.green("ok  ") : pc.red("fail")} ${name.padEnd(16)} ${detail}`;
  return hint === undefined ? text : `${text}\n     ${pc.dim(hint)}`;
}
