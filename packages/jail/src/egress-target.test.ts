import { describe, expect, it } from "vitest";
import { isPublicAddress } from "./egress-address.ts";
import { allowanceOf, parseAuthority, parseEgressPattern, parseHttpTarget } from "./egress-target.ts";

const LIST = [
  "registry.npmjs.org",
  "*.example.com",
  "*.corp.test:8443",
  "127.0.0.1:8080",
  "[::1]:9",
  "Model.test:7",
];
const patterns = LIST.map(parseEgressPattern);
const allowance = (authority: string): string => {
  const target = parseAuthority(authority);
  return target === null ? "malformed" : allowanceOf(patterns, target);
};

describe("the allow-list of a run", () => {
  it.each([
    ["registry.npmjs.org:443", "public"],
    ["REGISTRY.npmjs.org.:443", "public"],
    ["registry.npmjs.org:80", "public"],
    ["registry.npmjs.org:22", "denied"],
    ["evil-registry.npmjs.org:443", "denied"],
    ["registry.npmjs.org.evil.test:443", "denied"],
    ["a.example.com:443", "public"],
    ["a.b.example.com:443", "public"],
    ["example.com:443", "denied"],
    ["evilexample.com:443", "denied"],
    ["a.corp.test:8443", "public"],
    ["a.corp.test:443", "denied"],
    ["127.0.0.1:8080", "anywhere"],
    ["127.1:8080", "anywhere"],
    ["0x7f000001:8080", "anywhere"],
    ["127.0.0.1:8081", "denied"],
    ["localhost:8080", "denied"],
    ["[::1]:9", "anywhere"],
    ["model.test:7", "anywhere"],
    ["model.test:8", "denied"],
    ["", "malformed"],
    ["registry.npmjs.org", "malformed"],
    ["registry.npmjs.org:0", "malformed"],
    ["registry.npmjs.org:99999", "malformed"],
    ["user@registry.npmjs.org:443", "malformed"],
    ["registry.npmjs.org:443/path", "malformed"],
    ["registry.npmjs.org:443\\@evil.test:443", "malformed"],
    ["a.test:1:2", "malformed"],
  ])("says of %s: %s", (authority, expected) => {
    expect(allowance(authority)).toBe(expected);
  });

  it("reads absolute http addresses only, and keeps their path", () => {
    expect(parseHttpTarget("http://A.test/x?y=1")).toEqual({
      target: { host: "a.test", port: 80 },
      path: "/x?y=1",
    });
    for (const text of ["/x", "https://a.test/", "http://u:p@a.test/", "ftp://a.test/", "*"]) {
      expect([text, parseHttpTarget(text)]).toEqual([text, null]);
    }
  });

  it.each(["", "*", "*.", "http://a.test", "a.test/x", "a b", "*.*.a.test", "a.test:", "a.test:70000"])(
    "refuses the entry %j",
    (text) => {
      expect(() => parseEgressPattern(text)).toThrow(
        expect.objectContaining({ code: "EGRESS_PATTERN_INVALID" }),
      );
    },
  );
});

describe("isPublicAddress", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "fe80::1",
    "fd00::1",
    "ff02::1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:db8::1",
  ])("is false for %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(["8.8.8.8", "140.82.112.3", "172.32.0.1", "2606:4700::1111"])("is true for %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});
