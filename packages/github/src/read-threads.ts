import type { Account, RepositoryName, ReviewComment, ReviewThread } from "@worktree-hive/domain";
import type { CommentAnswer, ThreadAnswer } from "./answers.ts";
import { carriesMarker } from "./own-marker.ts";
import type { Permissions } from "./permission.ts";
import { accountOfActor, isSameAccount } from "./read-account.ts";

/** Whose words are whose. */
export interface ThreadReader {
  readonly repository: RepositoryName;
  readonly identity: Account;
  readonly permissions: Permissions;
}

/** A thread with all its comments. */
export type WholeThread = Omit<ThreadAnswer, "comments"> & { readonly comments: readonly CommentAnswer[] };

export async function readThreads(
  reader: ThreadReader,
  threads: readonly WholeThread[],
): Promise<ReviewThread[]> {
  const found: ReviewThread[] = [];
  for (const thread of threads) {
    const comments: ReviewComment[] = [];
    // One after the other: each author is then asked about once, the rest comes from memory.
    for (const comment of thread.comments) comments.push(await readComment(reader, comment));
    found.push({
      id: thread.id,
      resolved: thread.isResolved,
      outdated: thread.isOutdated,
      path: thread.path,
      line: thread.line,
      comments,
    });
  }
  return found;
}

async function readComment(reader: ThreadReader, comment: CommentAnswer): Promise<ReviewComment> {
  const author = accountOfActor(comment.author);
  const own = isSameAccount(author, reader.identity);
  const mayInstruct = !own && (await reader.permissions.mayInstruct(reader.repository, author));
  // A marker counts only from one who may instruct (a hive that ran under another account): from anyone else it would
  // be a way to silence a thread, whose last word would seem to be ours (S24).
  const ours = own || (mayInstruct && carriesMarker(comment.body));
  return {
    id: commentId(comment),
    author,
    body: comment.body,
    createdAt: comment.createdAt,
    ours,
    mayInstruct: mayInstruct && !ours,
  };
}

/** The id REST wants; `databaseId` has only 32 bits by its type. */
export function commentId(comment: CommentAnswer): number {
  return comment.databaseId ?? Number(comment.fullDatabaseId ?? 0);
}
