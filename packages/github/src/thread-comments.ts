import { allPages, type Page } from "./all-pages.ts";
import { type CommentAnswer, ThreadCommentsAnswer } from "./answers.ts";
import { THREAD_COMMENTS } from "./documents/thread-comments.ts";
import type { Transport } from "./transport.ts";

const PAGE_SIZE = 50;

/** All comments of a thread, oldest first, starting from a page already read or from nothing. */
export async function readThreadComments(
  transport: Transport,
  thread: string,
  first?: Page<CommentAnswer>,
): Promise<CommentAnswer[]> {
  const next = async (after: string | null): Promise<Page<CommentAnswer> | undefined> => {
    const variables = { thread, page: PAGE_SIZE, after };
    const { node } = await transport.query(THREAD_COMMENTS, variables, ThreadCommentsAnswer);
    return node?.comments;
  };
  return await allPages(first ?? (await next(null)), next);
}
