/** Longest text of one event, in characters; the transcript is for people. */
const MAX_TEXT = 64 * 1024;

/** Cuts a text of an agent to what an event may carry. */
export function clip(text: string): string {
  return text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT);
}
