import { cleanText, type ErrorKind, isHiveError, messageOf } from "@worktree-hive/domain";
import { DelayedError, UnrecoverableError } from "bullmq";
import type { Message } from "./backend.ts";

/** When a rate limit does not say how long it lasts. */
const LIMITED_MS = 30_000;
const HOPELESS: readonly ErrorKind[] = ["denied", "invalid", "bug"];

/** Runs the handler and tells BullMQ what its error means. */
export async function handleWake(
  message: Message,
  token: string | undefined,
  handler: (jobId: string) => Promise<void>,
): Promise<void> {
  try {
    await handler(message.data.jobId);
  } catch (error) {
    if (isHiveError(error) && error.kind === "limited") {
      return putBack(message, token, error.retryAfterMs ?? LIMITED_MS);
    }
    if (isHiveError(error) && HOPELESS.includes(error.kind)) throw cleaned(new UnrecoverableError(), error);
    throw cleaned(new Error(), error);
  }
}

/** Puts the message back for `delayMs`; spends no attempt. Never returns. */
export async function putBack(message: Message, token: string | undefined, delayMs: number): Promise<never> {
  await message.moveToDelayed(Date.now() + delayMs, token);
  throw new DelayedError();
}

/** BullMQ stores message and stack; with NUL in them it could not, and would run the message again. */
function cleaned<E extends Error>(target: E, error: unknown): E {
  target.message = cleanText(messageOf(error));
  target.stack = error instanceof Error ? cleanText(error.stack ?? target.message) : target.message;
  return target;
}
