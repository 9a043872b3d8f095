import {
  type Account,
  type Check,
  type Forge,
  type ForgeRepository,
  type FoundPull,
  HiveError,
  type MarkedComment,
  type NewPull,
  type Permission,
  type PullRef,
  type PullSnapshot,
  type RepositoryName,
  type ReviewThread,
  type Sha,
} from "@worktree-hive/domain";
import { commentBy, HIVE, START, sha } from "./facts.ts";

interface WrittenComment extends MarkedComment {
  readonly id: number;
  readonly url: string;
}

type Method = Exclude<keyof Forge, "identity">;

/** One repository on a forge that keeps its promises (once per marker, once per head) and remembers what was asked. */
export class MemoryForge implements Forge {
  readonly calls: string[] = [];
  readonly pulls: (NewPull & PullRef)[] = [];
  readonly comments: WrittenComment[] = [];
  readonly tips = new Map<string, Sha>();
  defaultBranch = "main";
  permission: Permission = "write";
  state: PullSnapshot["state"] = "open";
  checks: readonly Check[] = [];
  threads: ReviewThread[] = [];
  logs = new Map<number, string>();
  /** What a method throws instead of answering. */
  readonly failing = new Map<Method, HiveError>();
  /** Called before a method answers. */
  before: (method: Method) => Promise<void> = () => Promise.resolve();

  /** A push has arrived: no check has reported on its head yet. */
  land(branch: string, head: Sha): void {
    this.tips.set(branch, head);
    this.checks = [];
  }

  async identity(): Promise<Account> {
    return HIVE;
  }

  async repository(name: RepositoryName): Promise<ForgeRepository> {
    await this.#asked("repository");
    const { defaultBranch } = this;
    return {
      name,
      nodeId: "R_1",
      defaultBranch,
      archived: false,
      cloneUrl: "https://forge.test/acme/app.git",
    };
  }

  async branchTip(_name: RepositoryName, branch: string): Promise<Sha | null> {
    await this.#asked("branchTip");
    return this.tips.get(branch) ?? null;
  }

  async branchRules(): Promise<readonly string[]> {
    await this.#asked("branchRules");
    return [];
  }

  async observePull(repository: RepositoryName, number: number): Promise<PullSnapshot> {
    await this.#asked("observePull");
    const pull = this.#pull(number);
    const { nodeId, url, title, draft } = pull;
    return {
      repository,
      number,
      nodeId,
      url,
      title,
      draft,
      observedAt: START,
      state: this.state,
      mergedBy: this.state === "merged" ? { id: 2, login: "ann", kind: "human" } : null,
      head: { ref: pull.head, sha: this.tips.get(pull.head) ?? "", committedAt: START },
      base: { ref: pull.base, sha: sha(1) },
      mergeable: "mergeable",
      mergeState: "CLEAN",
      autoMerge: false,
      queued: false,
      checks: this.checks,
      requiredChecks: [],
      threads: this.threads,
      opinions: [],
    };
  }

  async findPull(_name: RepositoryName, branch: string): Promise<FoundPull | null> {
    await this.#asked("findPull");
    const pull = this.pulls.find(({ head }) => head === branch);
    return pull === undefined ? null : { ...pull, state: this.state, head: this.tips.get(branch) ?? "" };
  }

  async openPull(_name: RepositoryName, wanted: NewPull): Promise<PullRef> {
    await this.#asked("openPull");
    const open = this.pulls.find(({ head }) => head === wanted.head);
    if (open !== undefined) return refOf(open);
    const number = 20 + this.pulls.length;
    const pull = {
      ...wanted,
      number,
      nodeId: `PR_${number}`,
      url: `https://forge.test/acme/app/pull/${number}`,
    };
    this.pulls.push(pull);
    return refOf(pull);
  }

  async replyToThread(
    _name: RepositoryName,
    _number: number,
    { threadId }: { readonly threadId: string },
    { marker, body }: MarkedComment,
  ): Promise<{ id: number; url: string }> {
    await this.#asked("replyToThread");
    const thread = this.threads.find(({ id }) => id === threadId);
    if (thread === undefined) throw new HiveError("THREAD_UNKNOWN", "invalid", `no thread ${threadId}`);
    const said = thread.comments.find((comment) => comment.ours && comment.body.includes(marker));
    const id = said?.id ?? 500 + thread.comments.length;
    if (said === undefined) {
      const answer = commentBy(id, body, { author: HIVE, ours: true, mayInstruct: false });
      const comments = [...thread.comments, answer];
      this.threads = this.threads.map((other) => (other.id === threadId ? { ...other, comments } : other));
    }
    return { id, url: `https://forge.test/comment/${id}` };
  }

  async upsertComment(
    _name: RepositoryName,
    _number: number,
    comment: MarkedComment,
  ): Promise<{ id: number; url: string }> {
    await this.#asked("upsertComment");
    const at = this.comments.findIndex(({ marker }) => marker === comment.marker);
    const id = this.comments[at]?.id ?? 900 + this.comments.length;
    const written = { ...comment, id, url: `https://forge.test/comment/${id}` };
    if (at < 0) this.comments.push(written);
    else this.comments[at] = written;
    return written;
  }

  async checkLog(_name: RepositoryName, logId: number): Promise<string | null> {
    await this.#asked("checkLog");
    return this.logs.get(logId) ?? null;
  }

  async permissionOf(): Promise<Permission> {
    await this.#asked("permissionOf");
    return this.permission;
  }

  async commitAuthor(): Promise<string> {
    await this.#asked("commitAuthor");
    return "bob";
  }

  async #asked(method: Method): Promise<void> {
    this.calls.push(method);
    await this.before(method);
    const failure = this.failing.get(method);
    if (failure !== undefined) throw failure;
  }

  #pull(number: number): NewPull & PullRef {
    const pull = this.pulls.find((candidate) => candidate.number === number);
    if (pull === undefined) throw new HiveError("PULL_UNKNOWN", "invalid", `no pull request ${number}`);
    return pull;
  }
}

/** A finished check run. */
export function checkRun(name: string, conclusion: string, fields: Partial<Check> = {}): Check {
  return {
    id: name,
    kind: "check_run",
    app: 1,
    workflow: "ci",
    name,
    status: "completed",
    conclusion,
    required: true,
    createdAt: START,
    startedAt: START,
    completedAt: START,
    url: `https://forge.test/checks/${name}`,
    logId: null,
    summary: null,
    ...fields,
  };
}

function refOf({ number, nodeId, url }: PullRef): PullRef {
  return { number, nodeId, url };
}
