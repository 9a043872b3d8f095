const UNSTORABLE = /\0|\p{Surrogate}/gu;
const REPLACEMENT = "\u{FFFD}";

/**
 * Replaces NUL and lone surrogates with U+FFFD. Agents and logs contain them; PostgreSQL refuses them in text and in
 * jsonb, and an error message with one would make a queue run its job twice.
 */
export function cleanText(text: string): string {
  return text.replace(UNSTORABLE, REPLACEMENT);
}
