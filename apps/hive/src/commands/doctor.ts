import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import type { HiveConfig } from "@worktree-hive/contracts";
import { isHiveError, messageOf } from "@worktree-hive/domain";
import { chooseIsolation, forgeOf } from "@worktree-hive/worker";
import type { Command } from "commander";
import pc from "picocolors";
import { action, type CliContext } from "../cli/context.ts";
import { EXIT, exitCodeFor } from "../cli/exit-codes.ts";
import { loadConfig } from "../cli/load-config.ts";
import { checkForge, checkGit } from "../service/preflight.ts";
import { readSecrets } from "../service/secrets.ts";

interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly hint?: string;
  readonly code?: string;
}

/** `hive doctor`: looks at everything a hive needs, changes nothing, and says what to do. */
export function doctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("look at what a hive needs: versions, sandbox, configuration, forge, disk")
    .action(action((context) => doctor(context)));
}

async function doctor(context: CliContext): Promise<void> {
  const findings: Finding[] = [
    await look("node", () => Promise.resolve(process.version)),
    await look("git", checkGit),
  ];
  let config: HiveConfig | null = null;
  findings.push(
    await look("configuration", async () => {
      config = await loadConfig(context.config);
      return `${context.config}, ${config.repositories.length} repositories`;
    }),
  );
  if (config !== null) findings.push(...(await withConfig(config)));
  context.output.result(findings, (all) => all.map(line).join("\n"));
  const failed = findings.find((finding) => !finding.ok);
  if (failed !== undefined)
    process.exitCode = failed.code === undefined ? EXIT.failure : exitCodeFor(failed.code);
}

async function withConfig(config: HiveConfig): Promise<Finding[]> {
  return [
    await look("sandbox", async () => {
      const isolation = await chooseIsolation(config);
      return isolation.kind === "none"
        ? `none: ${isolation.reason}`
        : `${isolation.kind} ${isolation.version}`;
    }),
    await look("allowed owners", () =>
      config.allowed_owners.length === 0
        ? Promise.reject(new Error("allowed_owners is empty, so every repository is denied"))
        : Promise.resolve(config.allowed_owners.join(", ")),
    ),
    await look("forge", async () => {
      const secrets = await readSecrets(config, process.env);
      return `${config.github.api_url} as ${await checkForge(config, forgeOf(config, secrets).forge)}`;
    }),
    await look("data directory", async () => {
      await access(dirname(config.data_dir), constants.W_OK);
      return config.data_dir;
    }),
  ];
}

async function look(name: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, detail: await check() };
  } catch (error) {
    const { code, hint } = isHiveError(error) ? error : { code: undefined, hint: undefined };
    return {
      name,
      ok: false,
      detail: messageOf(error),
      ...(code === undefined ? {} : { code }),
      ...(hint === undefined ? {} : { hint }),
    };
  }
}

function line({ name, ok, detail, hint }: Finding): string {
  const text = `${ok ? pc.green("ok  ") : pc.red("fail")} ${name.padEnd(16)} ${detail}`;
  return hint === undefined ? text : `${text}\n     ${pc.dim(hint)}`;
}
