const REPLACEMENT = "[redacted]";
const MIN_LENGTH = 4;

/**
 * Tokens nobody registered, known by their prefix and read up to whitespace, a quote or a backslash. No length is
 * assumed: a forge changed the length of its tokens before (S46).
 */
const TOKEN_SHAPES =
  /\b(?:gh[oprsu]_|github_pat_|lin_api_|lin_oauth_|sk-ant-)[^\s"'`\\]+|(?<=\bbearer\s+)[^\s"'`\\]+|(?<=\bauthorization["']?\s*[:=]\s*["']?(?:basic|token)\s+)[^\s"'`\\]+/gi;

/** Every spelling of every registered secret, with how many registrations hold it. */
const spellings = new Map<string, number>();
let known: RegExp | null = null;

/** Thrown for a value so short that redacting it would only garble the log. */
export class SecretTooShortError extends Error {
  readonly code = "LOG_SECRET_TOO_SHORT";

  constructor() {
    super(`A secret needs at least ${MIN_LENGTH} characters to be redacted.`);
    this.name = "SecretTooShortError";
  }
}

/**
 * Makes a value unreadable in every later log line and `redact` call of this process, also as base64, URL-encoded or
 * escaped within JSON. Call it where the secret is read.
 * @returns the function that forgets it, for short-lived tokens
 * @throws SecretTooShortError
 */
export function registerSecret(value: string): () => void {
  if (value.length < MIN_LENGTH) throw new SecretTooShortError();
  const forms = spellingsOf(value);
  for (const form of forms) spellings.set(form, (spellings.get(form) ?? 0) + 1);
  known = null;
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    for (const form of forms) release(form);
    known = null;
  };
}

/** The text with registered secrets and token-shaped strings replaced. */
export function redact(text: string): string {
  known ??= patternOf([...spellings.keys()]);
  const masked = known === null ? text : text.replace(known, REPLACEMENT);
  return masked.replace(TOKEN_SHAPES, REPLACEMENT);
}

function release(form: string): void {
  const left = (spellings.get(form) ?? 1) - 1;
  if (left > 0) spellings.set(form, left);
  else spellings.delete(form);
}

function spellingsOf(value: string): Set<string> {
  const forms = new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  for (const form of base64Forms(value)) {
    forms.add(form);
    forms.add(form.replaceAll("+", "-").replaceAll("/", "_"));
    forms.add(encodeURIComponent(form));
  }
  return forms;
}

/**
 * The characters that stand for the secret in base64 whatever came before it (`user:secret` shifts it by up to two
 * bytes): those of each alignment that no neighbouring byte has a share in.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const first = Math.ceil((shift * 8) / 6);
    const last = Math.floor(((shift + bytes.length) * 8) / 6);
    const form = text.slice(first, last);
    // Fewer characters than this turn up in any base64 text by chance.
    return form.length < MIN_LENGTH ? [] : [form];
  });
}

/** Longest first, so that a secret which contains another one goes as a whole. */
function patternOf(forms: string[]): RegExp | null {
  if (forms.length === 0) return null;
  const longestFirst = forms.toSorted((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((form) => form.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")).join("|"), "g");
}
