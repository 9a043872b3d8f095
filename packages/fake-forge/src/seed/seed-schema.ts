import { z } from "zod";

const level = z.enum(["read", "write", "admin"]);
const role = z.enum(["read", "triage", "write", "maintain", "admin"]);
const name = z.string().regex(/^[\w.-]+$/, "letters, digits, dot, dash and underscore only");
const fullName = z.string().regex(/^[\w.-]+\/[\w.-]+$/, "owner/name");

const User = z.strictObject({
  login: name,
  id: z.number().int().positive().optional(),
  type: z.enum(["User", "Bot", "Organization"]).default("User"),
  name: z.string().optional(),
  restLogin: z.string().optional(),
});

const Token = z.strictObject({
  token: z.string().min(1),
  login: name,
  permissions: z.record(z.string(), level).optional(),
  repositories: z.array(fullName).optional(),
  admin: z.boolean().default(false),
});

const Check = z.strictObject({
  name: z.string().min(1),
  command: z.string().min(1),
  required: z.boolean().default(false),
  timeoutSeconds: z.number().positive().default(60),
});

const Webhook = z.strictObject({
  url: z.url(),
  secret: z.string().min(1),
  events: z.array(z.string()).default(["*"]),
});

const Label = z.strictObject({
  name: z.string().min(1),
  color: z
    .string()
    .regex(/^[0-9a-fA-F]{6}$/)
    .default("ededed"),
  description: z.string().optional(),
});

const Repository = z
  .strictObject({
    owner: name,
    name,
    description: z.string().optional(),
    private: z.boolean().default(false),
    defaultBranch: z.string().min(1).default("main"),
    /** Path of a git repository to clone; relative to the seed file. */
    source: z.string().optional(),
    /** Files of one first commit, by path. */
    files: z.record(z.string(), z.string()).optional(),
    collaborators: z.record(name, role).default({}),
    checks: z.array(Check).default([]),
    webhooks: z.array(Webhook).default([]),
    labels: z.array(Label).default([]),
    /** Protects the default branch against every Bot. */
    protected: z.boolean().default(false),
    protectedBranches: z
      .array(z.strictObject({ name: z.string().min(1), denied: z.array(name).optional() }))
      .default([]),
    deleteBranchOnMerge: z.boolean().default(false),
  })
  .refine((it) => it.source === undefined || it.files === undefined, "give source or files, not both");

const Issue = z.strictObject({
  repository: fullName,
  title: z.string().min(1),
  body: z.string().optional(),
  author: name,
  labels: z.array(z.string()).default([]),
  assignees: z.array(name).default([]),
});

const Reviewer = z
  .strictObject({
    repository: fullName,
    pullTitleMatches: z.string().optional(),
    issue: z.number().int().positive().optional(),
    login: name,
    on: z.enum(["opened", "checks_passed"]),
    body: z.string().default(""),
    event: z.enum(["COMMENT", "REQUEST_CHANGES", "APPROVE"]).default("COMMENT"),
    threads: z
      .array(
        z.strictObject({
          path: z.string().min(1),
          line: z.number().int().positive(),
          body: z.string().min(1),
        }),
      )
      .default([]),
  })
  .refine((it) => isPattern(it.pullTitleMatches), { path: ["pullTitleMatches"], message: "not a pattern" });

function isPattern(text: string | undefined): boolean {
  try {
    return text === undefined || new RegExp(text) instanceof RegExp;
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}

/** The world a forge starts with. */
export const Seed = z
  .strictObject({
    users: z.array(User).default([]),
    tokens: z.array(Token).default([]),
    repositories: z.array(Repository).default([]),
    issues: z.array(Issue).default([]),
    reviewers: z.array(Reviewer).default([]),
  })
  .superRefine((seed, context) => {
    const logins = new Set(seed.users.map((user) => user.login));
    const repositories = new Set(seed.repositories.map((it) => `${it.owner}/${it.name}`));
    const need = (known: Set<string>, value: string, path: (string | number)[], what: string): void => {
      if (!known.has(value))
        context.addIssue({ code: "custom", path, message: `${what} ${value} is not in the seed` });
    };
    seed.tokens.forEach((it, n) => {
      need(logins, it.login, ["tokens", n, "login"], "user");
    });
    seed.repositories.forEach((it, n) => {
      need(logins, it.owner, ["repositories", n, "owner"], "user");
      for (const login of Object.keys(it.collaborators)) {
        need(logins, login, ["repositories", n, "collaborators", login], "user");
      }
    });
    seed.issues.forEach((it, n) => {
      need(logins, it.author, ["issues", n, "author"], "user");
      need(repositories, it.repository, ["issues", n, "repository"], "repository");
    });
    seed.reviewers.forEach((it, n) => {
      need(logins, it.login, ["reviewers", n, "login"], "user");
      need(repositories, it.repository, ["reviewers", n, "repository"], "repository");
    });
  });
export type Seed = z.infer<typeof Seed>;
export type SeedInput = z.input<typeof Seed>;
export type SeedRepository = Seed["repositories"][number];
