import {
  type FoundPull,
  isHiveError,
  type NewPull,
  type PullRef,
  type RepositoryName,
} from "@worktree-hive/domain";
import { createOnce } from "./marked-comment.ts";
import type { Transport } from "./transport.ts";

type StateFilter = "all" | "open";

/** The newest pull request from a branch of this repository; null when there is none. */
export async function findPull(
  transport: Transport,
  name: RepositoryName,
  branch: string,
  state: StateFilter = "all",
): Promise<FoundPull | null> {
  const { data } = await transport.rest.pulls.list({
    owner: name.owner,
    repo: name.name,
    head: `${name.owner}:${branch}`,
    state,
    sort: "created",
    direction: "desc",
    per_page: 100,
  });
  // The filter is by owner: a fork's branch of the same name, or a server that ignores the filter, must not be taken.
  const pull = data.find((entry) => entry.head.ref === branch && entry.head.repo?.id === entry.base.repo.id);
  if (pull === undefined) return null;
  const closed = pull.merged_at === null ? "closed" : "merged";
  return {
    number: pull.number,
    nodeId: pull.node_id,
    url: pull.html_url,
    state: pull.state === "open" ? "open" : closed,
    head: pull.head.sha,
  };
}

/** Opens a pull request once; one that is open on the same head is taken instead (WH-185). */
export async function openPull(transport: Transport, name: RepositoryName, pull: NewPull): Promise<PullRef> {
  const find = async (): Promise<PullRef | null> => toRef(await findPull(transport, name, pull.head, "open"));
  const found = await find();
  if (found !== null) return found;
  try {
    return await createOnce(find, () => create(transport, name, pull));
  } catch (error) {
    // "Already exists" has no code of its own: whether one is there is asked, not read from the message.
    const existing = isHiveError(error, "FORGE_INVALID") ? await find() : null;
    if (existing === null) throw error;
    return existing;
  }
}

async function create(transport: Transport, name: RepositoryName, pull: NewPull): Promise<PullRef> {
  const { data } = await transport.rest.pulls.create({
    owner: name.owner,
    repo: name.name,
    head: pull.head,
    base: pull.base,
    title: pull.title,
    body: pull.body,
    draft: pull.draft,
  });
  return { number: data.number, nodeId: data.node_id, url: data.html_url };
}

function toRef(pull: FoundPull | null): PullRef | null {
  return pull === null ? null : { number: pull.number, nodeId: pull.nodeId, url: pull.url };
}
