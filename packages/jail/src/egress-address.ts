import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { BlockList, isIPv4, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";

/** IPv4 that is not the public internet (IANA special-purpose registry). */
const SPECIAL_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** Of IPv6 only `2000::/3` is public; these parts of it are not, or wrap an IPv4 address. */
const SPECIAL_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const special = blockList(SPECIAL_V4, SPECIAL_V6);
const global = blockList([], ["2000::/3"]);

/** True for an address on the public internet that is not one of this machine's own. */
export function isPublicAddress(address: string): boolean {
  if (ownAddresses().has(address)) return false;
  if (isIPv4(address)) return !special.check(address, "ipv4");
  return global.check(address, "ipv6") && !special.check(address, "ipv6");
}

/**
 * Resolves a host here, on the hive's side, and keeps the addresses that a run may be connected to.
 * @param anywhere also private and loopback addresses
 * @returns none where the host has no such address; throws what the resolver throws where it has none at all
 */
export async function reachableAddresses(host: string, anywhere: boolean): Promise<LookupAddress[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return anywhere ? found : found.filter(({ address }) => isPublicAddress(address));
}

/** A resolver that knows only the checked addresses: a name that changes its mind afterwards is not asked again. */
export function pinnedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, done) => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else done(null, first?.address ?? "", first?.family ?? 0);
  };
}

function ownAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)));
}

function blockList(v4: readonly string[], v6: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (text: string, family: "ipv4" | "ipv6"): void => {
    const [net = "", prefix = "0"] = text.split("/");
    list.addSubnet(net, Number(prefix), family);
  };
  for (const text of v4) add(text, "ipv4");
  for (const text of v6) add(text, "ipv6");
  return list;
}
