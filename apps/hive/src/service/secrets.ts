import { readFile } from "node:fs/promises";
import type { HiveConfig } from "@worktree-hive/contracts";
import { HiveError } from "@worktree-hive/domain";
import { registerSecret } from "@worktree-hive/log";
import type { Secrets } from "@worktree-hive/worker";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the secrets that the configuration names, from the environment or from files; each is registered for
 * redaction before anything can print it. Throws `SECRET_MISSING` naming every one that is absent.
 */
export async function readSecrets(config: HiveConfig, env: Environment): Promise<Secrets> {
  const { github } = config;
  const token = await secretValue(env, github.token_env, github.token_file);
  const webhook = await secretValue(env, github.webhook_secret_env, github.webhook_secret_file);
  const missing = [
    ...(token === null ? [`${github.token_env} (the forge token)`] : []),
    ...(webhook === null ? [`${github.webhook_secret_env} (the webhook secret)`] : []),
  ];
  if (token === null || webhook === null) {
    throw new HiveError("SECRET_MISSING", "invalid", `not set in the environment: ${missing.join(", ")}`, {
      hint: "set the variables, or name files with github.token_file and github.webhook_secret_file",
    });
  }
  const databaseUrl = await secretValue(env, "DATABASE_URL", undefined);
  const redisUrl = await secretValue(env, "REDIS_URL", undefined);
  for (const secret of [token, webhook, passwordOf(databaseUrl), passwordOf(redisUrl)]) {
    if (secret !== null) registerSecret(secret);
  }
  return { forgeToken: token, webhookSecrets: webhook.split(/\s+/), databaseUrl, redisUrl };
}

async function secretValue(env: Environment, name: string, file: string | undefined): Promise<string | null> {
  const path = file ?? env[`${name}_FILE`];
  const value = path === undefined ? env[name] : await readFile(path, "utf8");
  const trimmed = value?.trim() ?? "";
  return trimmed === "" ? null : trimmed;
}

function passwordOf(url: string | null): string | null {
  const password = url === null ? "" : new URL(url).password;
  return password === "" ? null : password;
}
