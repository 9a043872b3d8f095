/** The queue of wakes that any host may take. */
const SHARED = "wakes";

/** The name of the queue for a host, or of the shared one for null. BullMQ allows no `:` in it. */
export function queueName(host: string | null): string {
  return host === null ? SHARED : `${SHARED}-${host.replaceAll(/[^A-Za-z0-9_.-]/g, "_")}`;
}
