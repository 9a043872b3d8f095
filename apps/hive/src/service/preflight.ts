import { createServer } from "node:net";
import type { HiveConfig } from "@worktree-hive/contracts";
import { type Forge, HiveError, isHiveError, messageOf, parseRepositorySlug } from "@worktree-hive/domain";
import { run } from "@worktree-hive/exec";

/** The oldest git whose worktree and merge-tree commands the hive relies on. */
const OLDEST_GIT = [2, 38] as const;

/** Throws `GIT_MISSING` when git is absent or too old; returns its version. */
export async function checkGit(): Promise<string> {
  const found = await run("git", ["--version"], { cwd: "/" }).catch(() => null);
  const version = found?.stdout.toString().match(/(\d+)\.(\d+)[.\d]*/);
  if (found?.exitCode !== 0 || !version) {
    throw new HiveError("GIT_MISSING", "invalid", "git was not found", { hint: "install git 2.38 or newer" });
  }
  const [text, major, minor] = [version[0], Number(version[1]), Number(version[2])];
  if (major > OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor >= OLDEST_GIT[1])) return text;
  throw new HiveError("GIT_MISSING", "invalid", `git ${text} is too old`, {
    hint: "install git 2.38 or newer",
  });
}

/** Throws `PORT_TAKEN` when somebody listens on the configured address. Port 0 is always free. */
export async function checkPort({ host, port }: HiveConfig["server"]): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE";
      const text = taken ? `${host}:${port} is taken by another program` : `cannot listen on ${host}:${port}`;
      reject(
        new HiveError(taken ? "PORT_TAKEN" : "CONFIG_INVALID", "invalid", text, {
          hint: "set another server.port in hive.yaml",
          cause: error,
        }),
      );
    });
    server.listen({ host, port }, () => server.close(() => resolve()));
  });
}

/**
 * Asks the forge who the hive is and whether each configured repository is there.
 * Throws `FORGE_UNREACHABLE`, `FORGE_DENIED`, `REPOSITORY_NOT_GIT` (no such repository) or `REPOSITORY_EMPTY`.
 */
export async function checkForge(config: HiveConfig, forge: Forge): Promise<string> {
  const identity = await forge.identity().catch((error: unknown) => {
    throw forgeError(config, error);
  });
  for (const { name } of config.repositories) {
    await checkRepository(forge, name).catch((error: unknown) => {
      throw isHiveError(error) && error.kind === "invalid" ? error : forgeError(config, error);
    });
  }
  return identity.login;
}

async function checkRepository(forge: Forge, slug: string): Promise<void> {
  const name = parseRepositorySlug(slug);
  if (name === null) throw new HiveError("CONFIG_INVALID", "invalid", `${slug} is not owner/name`);
  const repository = await forge.repository(name).catch((error: unknown) => {
    if (!isHiveError(error) || error.kind !== "invalid") throw error;
    throw new HiveError("REPOSITORY_NOT_GIT", "invalid", `there is no repository ${slug} on the forge`, {
      hint: "check `repositories` in hive.yaml, and that the token may see it",
      cause: error,
    });
  });
  if ((await forge.branchTip(name, repository.defaultBranch)) !== null) return;
  throw new HiveError("REPOSITORY_EMPTY", "invalid", `${slug} has no commits yet`, {
    hint: "push a first commit to its default branch",
  });
}

function forgeError(config: HiveConfig, error: unknown): HiveError {
  const url = config.github.api_url;
  if (isHiveError(error) && error.kind === "denied") {
    return new HiveError("FORGE_DENIED", "denied", `${url} refused the token`, {
      hint: `check ${config.github.token_env}`,
      cause: error,
    });
  }
  return new HiveError(
    "FORGE_UNREACHABLE",
    "retryable",
    `the forge at ${url} gives no usable answer: ${messageOf(error)}`,
    {
      hint: "check github.api_url and the network",
      cause: error,
    },
  );
}

/**
 * Base branches that nothing protects: there a token that may push may also merge, and only the hive's own gates stand
 * between an agent and the branch. Each as `owner/name branch`.
 */
export async function unprotectedBases(config: HiveConfig, forge: Forge): Promise<readonly string[]> {
  const open: string[] = [];
  for (const { name: slug, base } of config.repositories) {
    const name = parseRepositorySlug(slug);
    if (name === null) continue;
    const branch = base ?? (await forge.repository(name)).defaultBranch;
    if ((await forge.branchRules(name, branch)).length === 0) open.push(`${slug} ${branch}`);
  }
  return open;
}
