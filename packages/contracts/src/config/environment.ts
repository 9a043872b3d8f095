/** One environment variable that the hive reads. Names of secrets can be changed in `hive.yaml`. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly secret: boolean;
  readonly description: string;
}

/** Every environment variable of the product; `.env.example` is written from it. */
export const ENVIRONMENT: readonly EnvironmentVariable[] = [
  {
    name: "GITHUB_TOKEN",
    secret: true,
    description: "Token of the hive's own identity on the forge (github.token_env).",
  },
  {
    name: "HIVE_WEBHOOK_SECRET",
    secret: true,
    description:
      "Secret that webhooks are signed with (github.webhook_secret_env); required by the control plane.",
  },
  {
    name: "DATABASE_URL",
    secret: true,
    description: "PostgreSQL 14 or newer. Without it the embedded store in data_dir is used.",
  },
  {
    name: "REDIS_URL",
    secret: true,
    description: "Redis 7 for the queue; needed together with DATABASE_URL.",
  },
];

/** The text of `.env.example`. */
export function environmentExample(): string {
  return ENVIRONMENT.map(({ name, description }) => `# ${description}\n${name}=\n`).join("\n");
}
