import { readFile } from "node:fs/promises";
import type { HiveConfig } from "@worktree-hive/contracts";
import { HiveError } from "@worktree-hive/domain";
import { registerSecret, SecretTooShortError } from "@worktree-hive/log";
import type { Secrets } from "@worktree-hive/worker";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the secrets that the configuration names, from the environment or from files; each is registered for
 * redaction before anything can print it. Only a control plane needs the webhook secret. Throws `SECRET_MISSING` naming every one that is absent or unusable, and
 * `CONFIG_INVALID` for a server's address that is none.
 */
export async function readSecrets(
  config: HiveConfig,
  env: Environment,
  needed: { readonly webhooks: boolean },
): Promise<Secrets> {
  const { github } = config;
  const token = await secretValue(env, github.token_env, github.token_file);
  const webhook = await secretValue(env, github.webhook_secret_env, github.webhook_secret_file);
  const missing = [
    ...(token === null ? [`${github.token_env} (the forge token)`] : []),
    ...(webhook === null && needed.webhooks ? [`${github.webhook_secret_env} (the webhook secret)`] : []),
  ];
  if (token === null || missing.length > 0) {
    throw new HiveError("SECRET_MISSING", "invalid", `not set in the environment: ${missing.join(", ")}`, {
      hint: "set the variables, or name files with github.token_file and github.webhook_secret_file",
    });
  }
  const databaseUrl = await serverUrl(env, "DATABASE_URL", /^postgres(ql)?:$/);
  const redisUrl = await serverUrl(env, "REDIS_URL", /^rediss?:$/);
  register(github.token_env, token);
  const webhookSecrets = webhook === null ? [] : webhook.split(/\s+/);
  for (const secret of webhookSecrets) register(github.webhook_secret_env, secret);
  for (const url of [databaseUrl, redisUrl]) {
    const password = url === null ? "" : new URL(url).password;
    if (password !== "") register("the password in an address", password);
  }
  return { forgeToken: token, webhookSecrets, databaseUrl, redisUrl };
}

async function secretValue(env: Environment, name: string, file: string | undefined): Promise<string | null> {
  const path = file ?? env[`${name}_FILE`];
  const value = path === undefined ? env[name] : await secretFile(name, path);
  const trimmed = value?.trim() ?? "";
  return trimmed === "" ? null : trimmed;
}

async function secretFile(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new HiveError("SECRET_MISSING", "invalid", `the file for ${name} cannot be read: ${path}`, {
      hint: "check that it is there and that this user may read it",
      cause: error,
    });
  }
}

/** The address of a server; what is wrong with it is said without repeating it, because it may hold a password. */
async function serverUrl(env: Environment, name: string, protocol: RegExp): Promise<string | null> {
  const url = await secretValue(env, name, undefined);
  if (url === null || (URL.canParse(url) && protocol.test(new URL(url).protocol))) return url;
  throw new HiveError("CONFIG_INVALID", "invalid", `${name} is not an address that the hive can use`, {
    hint:
      name === "REDIS_URL" ? "write it like redis://host:6379" : "write it like postgres://user@host/hive",
  });
}

function register(name: string, secret: string): void {
  try {
    registerSecret(secret);
  } catch (error) {
    if (!(error instanceof SecretTooShortError)) throw error;
    throw new HiveError("SECRET_MISSING", "invalid", `${name} is too short to be a secret`, {
      hint: "a secret this short cannot be told from ordinary words in a log; use a longer one",
      cause: error,
    });
  }
}
