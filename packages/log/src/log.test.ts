import { afterEach, describe, expect, it } from "vitest";
import { createLog, redact, registerSecret, SecretTooShortError } from "./index.ts";

const SECRET = 'p@ss/wörd+"42"';
const forgets: (() => void)[] = [];

function register(value: string): void {
  forgets.push(registerSecret(value));
}

afterEach(() => {
  for (const forget of forgets.splice(0)) forget();
});

/** Collects what a log writes. */
function capture(isTTY = false): { text: () => string; write: (line: string) => void; isTTY: boolean } {
  const lines: string[] = [];
  return { isTTY, write: (line) => lines.push(line), text: () => lines.join("") };
}

describe("redact", () => {
  it("hides a registered secret raw, URL-encoded and as base64", () => {
    register(SECRET);

    const text = redact(
      [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString("base64")].join(" | "),
    );

    expect(text.replaceAll(/=+/g, "")).toMatch(/^\[redacted\] \| \[redacted\] \| \[redacted\].?$/);
  });

  it.each(["", "a:", "x-access-token:", "ab"])(
    "hides a secret within base64 of %j and the secret, at any alignment",
    (user) => {
      register("correct-horse-battery");

      const text = redact(Buffer.from(`${user}correct-horse-battery`).toString("base64url"));

      expect(text).toContain("[redacted]");
      expect(Buffer.from(text.replace("[redacted]", ""), "base64url").toString()).not.toMatch(/horse|batt/);
    },
  );

  it.each([
    "ghp_abcdefghij0123456789",
    "ghs_12345_eyJhbGciOi.eyJpc3MiOiI.c2ln-bmF0dXJl",
    "github_pat_11ABC_def",
    "lin_api_0123",
    "sk-ant-api03-xyz",
  ])("S46 hides %s by its shape, whatever its length", (token) => {
    expect(redact(`url https://x:${token} end`)).toBe("url https://x:[redacted] end");
    expect(redact(`{"token":"${token}","n":1}`)).toBe('{"token":"[redacted]","n":1}');
  });

  it("hides what follows Bearer and an authorization header", () => {
    expect(redact("Authorization: Bearer abc.def")).toBe("Authorization: Bearer [redacted]");
    expect(redact('"authorization":"token abc"')).toBe('"authorization":"token [redacted]"');
  });

  it("leaves other text alone and forgets when asked to", () => {
    const forget = registerSecret("short-lived-token");
    forget();

    expect(redact("short-lived-token and the basic token of trust")).toBe(
      "short-lived-token and the basic token of trust",
    );
  });

  it("refuses a secret too short to hide", () => {
    expect(() => registerSecret("abc")).toThrow(SecretTooShortError);
  });
});

describe("createLog", () => {
  it("redacts message, fields, errors with their causes and child fields", () => {
    register(SECRET);
    const output = capture();
    const log = createLog({ level: "debug", base: { hive: SECRET }, destination: output });

    log
      .child({ jobId: SECRET })
      .error(
        { err: new Error(`outer ${SECRET}`, { cause: new Error(SECRET) }), deep: { list: [SECRET] } },
        SECRET,
      );

    expect(output.text()).not.toContain("wörd");
    expect(JSON.parse(output.text())).toMatchObject({
      hive: "[redacted]",
      jobId: "[redacted]",
      msg: "[redacted]",
      err: { message: "outer [redacted]", cause: { message: "[redacted]" } },
    });
  });

  it("writes nothing below its level", () => {
    const output = capture();

    createLog({ level: "warn", destination: output }).info({}, "quiet");

    expect(output.text()).toBe("");
  });

  it("is pretty on a terminal only", () => {
    const terminal = capture(true);
    const file = capture(false);
    for (const destination of [terminal, file]) {
      createLog({ level: "info", pretty: true, destination }).info({ jobId: "ada-1" }, "Run started");
    }

    expect(terminal.text()).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}Run started jobId=ada-1\n$/);
    expect(JSON.parse(file.text())).toMatchObject({ jobId: "ada-1", msg: "Run started" });
  });
});
