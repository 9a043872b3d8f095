import { createHmac, timingSafeEqual } from "node:crypto";

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/**
 * Whether a delivery was signed with one of the secrets (two while one replaces the other). Works on the raw bytes:
 * a body that was parsed and written again is another body (S41).
 * @param signature the `X-Hub-Signature-256` header; the SHA-1 header is never looked at
 */
export function verifySignature(delivery: {
  readonly secrets: readonly string[];
  readonly body: Buffer;
  readonly signature: string | undefined;
}): boolean {
  const given = SIGNATURE.exec(delivery.signature ?? "")?.[1];
  if (given === undefined) return false;
  let valid = false;
  for (const secret of delivery.secrets) {
    const right = createHmac("sha256", secret).update(delivery.body).digest();
    // Every secret is tried, so that the time taken does not tell which one fits. An empty one fits nothing.
    valid = (timingSafeEqual(right, Buffer.from(given, "hex")) && secret !== "") || valid;
  }
  return valid;
}
