import type { LookupAddress } from "node:dns";
import { messageOf, type Verdict } from "@worktree-hive/domain";
import { reachableAddresses } from "./egress-address.ts";
import { allowanceOf, describeTarget, type EgressPattern, type EgressTarget } from "./egress-target.ts";

/** The id of the one rule that the proxy refuses by. */
export const EGRESS_RULE = "egress.host";

/** A judged request; `subject` is method, host and port, never a path. */
export interface EgressVerdict extends Verdict {
  readonly subject: string;
}

/** Where an admitted request is to be connected, or the answer that it gets instead. */
export type Admission =
  | { readonly kind: "admitted"; readonly target: EgressTarget; readonly addresses: readonly LookupAddress[] }
  | { readonly kind: "refused"; readonly status: 403 | 502; readonly text: string };

const INSTEAD = "do without it and say in your report what was missing";

/**
 * Judges one request: first the allow-list, then, only for a listed host, the addresses that its name has.
 * @param target null where the request names none
 * @param onVerdict told before anything is connected or refused
 */
export async function admit(
  patterns: readonly EgressPattern[],
  method: string,
  target: EgressTarget | null,
  onVerdict: (verdict: EgressVerdict) => void | Promise<void>,
): Promise<Admission> {
  const name = target === null ? "?" : describeTarget(target);
  const subject = `${method} ${name}`.slice(0, 300);
  const refuse = async (why: string): Promise<Admission> => {
    const reason = `${why}; ${INSTEAD}`;
    await onVerdict({ decision: "deny", rule: EGRESS_RULE, reason, subject });
    return { kind: "refused", status: 403, text: `hive: denied ${EGRESS_RULE}: ${reason}` };
  };
  if (target === null) return refuse("only host:port and http addresses can be asked for");
  const allowance = allowanceOf(patterns, target);
  if (allowance === "denied") return refuse(`${name} is not among the hosts that a run may reach`);
  let addresses: readonly LookupAddress[];
  try {
    addresses = await reachableAddresses(target.host, allowance === "anywhere");
  } catch (error) {
    return { kind: "refused", status: 502, text: `hive: failed to resolve ${name}: ${messageOf(error)}` };
  }
  if (addresses.length === 0) return refuse(`${name} has no public address, and is not listed with its port`);
  await onVerdict({ decision: "allow", rule: EGRESS_RULE, reason: "the host is listed", subject });
  return { kind: "admitted", target, addresses };
}
