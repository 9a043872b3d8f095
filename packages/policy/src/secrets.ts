/** Where something that looks like a credential stands; never the credential itself. */
export interface SecretFinding {
  readonly path: string;
  /** Line number in the new file, from 1. */
  readonly line: number;
  readonly rule: string;
}

/** Only shapes that are credentials and nothing else: a false alarm teaches people to fight the guard. */
const SHAPES: readonly { readonly rule: string; readonly shape: RegExp }[] = [
  { rule: "github-token", shape: /\bgh[pousr]_[A-Za-z0-9_]{36,}/ },
  { rule: "github-fine-grained-token", shape: /\bgithub_pat_[A-Za-z0-9_]{60,}/ },
  { rule: "gitlab-token", shape: /\bglpat-[A-Za-z0-9_-]{20,}/ },
  { rule: "aws-access-key", shape: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/ },
  { rule: "anthropic-key", shape: /\bsk-ant-[A-Za-z0-9_-]{32,}/ },
  { rule: "openai-key", shape: /\bsk-(?:proj-)?[A-Za-z0-9]{40,}/ },
  { rule: "slack-token", shape: /\bxox[abeoprs]-[A-Za-z0-9-]{20,}/ },
  { rule: "stripe-key", shape: /\b[rs]k_live_[A-Za-z0-9]{20,}/ },
  { rule: "google-api-key", shape: /\bAIza[A-Za-z0-9_-]{35}\b/ },
  { rule: "linear-key", shape: /\blin_(?:api|oauth)_[A-Za-z0-9]{32,}/ },
  { rule: "npm-token", shape: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { rule: "private-key", shape: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/ },
];

/** The credentials in one line of text, by shape. */
export function secretsInLine(path: string, line: number, text: string): SecretFinding[] {
  return SHAPES.filter(({ shape }) => shape.test(text)).map(({ rule }) => ({ path, line, rule }));
}
