import { z } from "zod";

/** The most fixes a cycle may push; a ceiling that configuration can lower and never raise (WH-048). */
export const FIX_BUDGET_CEILING = 3;

const Port = z.int().min(0).max(65_535);

const environmentName = (what: string, fallback: string) =>
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable, not a value")
    .default(fallback)
    .describe(`Name of the environment variable that holds ${what}.`);

const secretFile = (what: string) =>
  z
    .string()
    .min(1)
    .optional()
    .describe(`File that holds ${what}; read instead of the environment variable when it is given.`);

const HttpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });

const Server = z.strictObject({
  host: z
    .string()
    .min(1)
    .default("127.0.0.1")
    .describe("Address that the control plane listens on. The API has no log-in: keep it on loopback."),
  names: z
    .array(z.string().min(1))
    .default([])
    .describe(
      "Host names by which a reverse proxy on this machine passes requests on. Besides them the API answers to localhost and to addresses.",
    ),
  port: Port.default(7400).describe("Port that the control plane listens on; 0 takes a free one."),
});

const GitHub = z.strictObject({
  api_url: HttpUrl.default("https://api.github.com").describe("Base URL of the forge's REST API."),
  git_url: HttpUrl.default("https://github.com").describe("Base URL of the forge's pages and git remotes."),
  token_env: environmentName("the forge token", "GITHUB_TOKEN"),
  token_file: secretFile("the forge token"),
  webhook_secret_env: environmentName(
    "the webhook secret, or two of them on two lines while one replaces the other",
    "HIVE_WEBHOOK_SECRET",
  ),
  webhook_secret_file: secretFile("the webhook secret, one on each line"),
});

const PORT_NUMBER = "[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5]";
const HOST = "(?:\\*\\.)?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\]";

/** `host`, `host:port`, `*.host`, `*.host:port`; an IPv6 address in brackets. */
const EgressEntry = z
  .string()
  .regex(
    new RegExp(`^(?:${HOST})(?::(?:${PORT_NUMBER}))?$`),
    "must be a host or host:port, such as registry.npmjs.org, *.example.com or 127.0.0.1:8080",
  );

const Repository = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_.][A-Za-z0-9_.-]*\/[A-Za-z0-9_.][A-Za-z0-9_.-]*$/, "must be written owner/name")
    .describe("The repository as `owner/name`."),
  base: z
    .string()
    .min(1)
    .optional()
    .describe("Branch that pull requests go to; the repository's default branch when it is left out."),
  labels: z
    .array(z.string().min(1))
    .min(1, "must name at least one label")
    .default(["hive"])
    .describe("An open issue with one of these labels is taken."),
  fix_budget: z
    .int()
    .min(0)
    .max(FIX_BUDGET_CEILING)
    .default(FIX_BUDGET_CEILING)
    .describe("Most fixes that one cycle may push, 0 to 3. It can be lowered, never raised above 3."),
  checks_grace_seconds: z
    .int()
    .min(0)
    .max(3600)
    .default(90)
    .describe("Seconds after a push in which missing checks mean `not yet` instead of `none`."),
  allow_workflow_edits: z
    .boolean()
    .default(false)
    .describe("Whether a push may change CI workflow files of this repository."),
  rebuildable: z
    .array(z.string().min(1))
    .default(["node_modules"])
    .describe("Ignored directories that can be made again, and so may go with a worktree."),
  egress_allow: z
    .array(EgressEntry)
    .default([])
    .describe("Hosts that runs in this repository may reach besides those of `egress.allow`."),
});

const AgentCommon = {
  environment: z
    .record(z.string(), z.string({ error: "must be text; put it in quotes" }))
    .default({})
    .describe("Environment variables that the agent is given besides the fixed ones."),
  timeout_minutes: z
    .number()
    .positive()
    .max(24 * 60)
    .default(30)
    .describe("Minutes after which a run is ended."),
};

const Command = z
  .array(z.string().min(1))
  .min(1, "must name a program")
  .describe("The program and its arguments, one item each; no shell reads it.");

const ReadOnlyPaths = z
  .array(z.string().startsWith("/", "must be an absolute path"))
  .default([])
  .describe(
    "Host paths that the agent needs and may read inside its sandbox, such as where it is installed.",
  );

const Agent = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("acp"),
      command: Command,
      read_only_paths: ReadOnlyPaths,
      ...AgentCommon,
    }),
    z.strictObject({
      type: z.literal("command"),
      command: Command,
      prompt_by: z
        .enum(["stdin", "file", "argument"])
        .default("stdin")
        .describe(
          "How the program takes its prompt; an argument `{prompt}` marks where it or its file goes.",
        ),
      read_only_paths: ReadOnlyPaths,
      ...AgentCommon,
    }),
    z.strictObject({
      type: z.literal("scripted"),
      script: z.string().min(1).describe("File with the steps that the scripted agent plays."),
      ...AgentCommon,
    }),
  ])
  .describe(
    "The coding agent: `acp` speaks the Agent Client Protocol, `command` is any program, `scripted` plays a file.",
  );

/**
 * The configuration file as it is written (`hive.yaml`). Keys are those of the file. Relative paths are relative to
 * the file's folder; whoever reads the file resolves them. Unknown keys are errors.
 */
export const HiveConfigFile = z.strictObject({
  version: z.literal(1).default(1).describe("Version of this file's format."),
  data_dir: z
    .string()
    .min(1)
    .default("./hive-data")
    .describe("Folder for the embedded store, the hubs and the transcripts."),
  worktree_root: z
    .string()
    .min(1)
    .optional()
    .describe("Folder for the worktrees; `worktrees` in `data_dir` when it is left out."),
  server: Server.prefault({}).describe("Where the control plane listens."),
  github: GitHub.prefault({}).describe("The forge."),
  allowed_owners: z
    .array(z.string().min(1))
    .default([])
    .describe(
      "Owners whose repositories the hive may work on. An empty list denies every repository (WH-104).",
    ),
  repositories: z.array(Repository).default([]).describe("The repositories whose issues the hive takes."),
  agent: Agent,
  isolation: z
    .enum(["required", "preferred", "none"])
    .default("preferred")
    .describe(
      "`required` refuses to run an agent without a sandbox, `preferred` warns, `none` uses no sandbox at all.",
    ),
  egress: z
    .strictObject({
      allow: z
        .array(EgressEntry)
        .default([])
        .describe(
          "Hosts that a run may reach through the hive's proxy, such as the model and package registries: `host` (ports 80 and 443), `host:port`, or `*.host` (in quotes) for every name below it. A private or loopback address is reached only where its exact `host:port` is listed.",
        ),
    })
    .prefault({})
    .describe("What runs may reach on the network; nothing unless it is listed."),
  worker: z
    .strictObject({
      concurrency: z
        .int()
        .min(1)
        .max(64)
        .default(2)
        .describe("Most jobs that one worker looks at in parallel."),
      host: z
        .string()
        .min(1)
        .optional()
        .describe("Name of this worker host; the machine's host name when it is left out."),
    })
    .prefault({})
    .describe("The worker."),
  watch: z
    .strictObject({
      poll_seconds: z
        .number()
        .min(1)
        .max(3600)
        .default(60)
        .describe("Seconds between two readings of a pull request when no webhook arrives."),
    })
    .prefault({})
    .describe("How pull requests are watched."),
});

/** The configuration with its defaults filled in. */
export interface HiveConfig extends z.output<typeof HiveConfigFile> {
  readonly worktree_root: string;
}

export type RepositoryConfig = HiveConfig["repositories"][number];
export type AgentConfig = HiveConfig["agent"];
