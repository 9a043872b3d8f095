import type { Account, MarkedComment, RepositoryName } from "@worktree-hive/domain";
import { isAmbiguous } from "./forge-error.ts";
import { accountOfActor, accountOfUser, isSameAccount } from "./read-account.ts";
import { commentId } from "./read-threads.ts";
import { readThreadComments } from "./thread-comments.ts";
import type { Transport } from "./transport.ts";

/** The forge refuses 65,536 characters with a 422; the rest is room for what it adds itself. */
const BODY_LIMIT = 60_000;
const CUT = "\n\n… (shortened)";

export interface CommentRef {
  readonly id: number;
  readonly url: string;
}

/** The body as it is sent: with its marker, within the limit. */
function markedBody(comment: MarkedComment): string {
  const { marker, body } = comment;
  const whole = body.includes(marker) ? body : `${marker}\n${body}`;
  if (whole.length <= BODY_LIMIT) return whole;
  const kept = whole.slice(0, BODY_LIMIT - marker.length - CUT.length - 1);
  // A marker at the end went with the cut.
  return `${kept.includes(marker) ? kept : `${marker}\n${kept}`}${CUT}`;
}

/** Edits our comment with the marker, or writes it once: a failed write that nobody knows the end of is looked up. */
export async function upsertComment(
  transport: Transport,
  identity: Account,
  name: RepositoryName,
  number: number,
  comment: MarkedComment,
): Promise<CommentRef> {
  const target = { owner: name.owner, repo: name.name };
  const body = markedBody(comment);
  const find = () => findComment(transport, identity, name, number, comment.marker);
  const found = await find();
  if (found === null) {
    return await createOnce(find, async () => {
      const { data } = await transport.rest.issues.createComment({ ...target, issue_number: number, body });
      return { id: data.id, url: data.html_url };
    });
  }
  if (found.body === body) return { id: found.id, url: found.url };
  const { data } = await transport.rest.issues.updateComment({ ...target, comment_id: found.id, body });
  return { id: data.id, url: data.html_url };
}

/** Answers a thread at its root, unless our answer with the marker is there already (S28). */
export async function replyToThread(
  transport: Transport,
  identity: Account,
  name: RepositoryName,
  number: number,
  thread: { readonly threadId: string; readonly rootCommentId: number },
  comment: MarkedComment,
): Promise<CommentRef> {
  const find = () => findReply(transport, identity, thread.threadId, comment.marker);
  const found = await find();
  if (found !== null) return found;
  return await createOnce(find, async () => {
    const { data } = await transport.rest.pulls.createReplyForReviewComment({
      owner: name.owner,
      repo: name.name,
      pull_number: number,
      comment_id: thread.rootCommentId,
      body: markedBody(comment),
    });
    return { id: data.id, url: data.html_url };
  });
}

/** Creates; where the end of the request is unknown, reads back what may have landed before giving up (S45). */
export async function createOnce<Created>(
  find: () => Promise<Created | null>,
  create: () => Promise<Created>,
): Promise<Created> {
  try {
    return await create();
  } catch (error) {
    const landed = isAmbiguous(error) ? await find() : null;
    if (landed === null) throw error;
    return landed;
  }
}

async function findComment(
  transport: Transport,
  identity: Account,
  name: RepositoryName,
  number: number,
  marker: string,
): Promise<(CommentRef & { readonly body: string }) | null> {
  const pages = transport.paginate.iterator(transport.rest.issues.listComments, {
    owner: name.owner,
    repo: name.name,
    issue_number: number,
    per_page: 100,
  });
  for await (const { data } of pages) {
    // Only our own: another's comment with our marker is neither ours to edit nor a proof that we wrote.
    const ours = data.find(
      (entry) => entry.body?.includes(marker) === true && isSameAccount(accountOfUser(entry.user), identity),
    );
    if (ours !== undefined) return { id: ours.id, url: ours.html_url, body: ours.body ?? "" };
  }
  return null;
}

async function findReply(
  transport: Transport,
  identity: Account,
  threadId: string,
  marker: string,
): Promise<CommentRef | null> {
  const comments = await readThreadComments(transport, threadId);
  const ours = comments.find(
    (entry) => entry.body.includes(marker) && isSameAccount(accountOfActor(entry.author), identity),
  );
  return ours === undefined ? null : { id: commentId(ours), url: ours.url };
}
