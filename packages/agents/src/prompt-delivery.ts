/** How a CLI takes its prompt. */
export type PromptBy = "stdin" | "file" | "argument";

/** In a command: replaced by the prompt, or by the path of a file that holds it. At the end where absent. */
export const PROMPT_PLACEHOLDER = "{prompt}";

export interface Delivery {
  readonly command: readonly string[];
  /** Written to standard input, which is then closed. */
  readonly input: string;
}

/**
 * Builds the command line that hands the prompt over.
 *
 * `file`: no host directory is sure to be visible in the jail, so the prompt travels on standard input and a shell
 * in front of the command puts it into a temporary file there.
 */
export function deliverPrompt(command: readonly string[], promptBy: PromptBy, prompt: string): Delivery {
  switch (promptBy) {
    case "stdin":
      return { command, input: prompt };
    case "argument":
      return { command: place(command, prompt), input: "" };
    case "file":
      return {
        command: ["sh", "-c", FILE_SCRIPT, "sh", ...place(command, PROMPT_PLACEHOLDER)],
        input: prompt,
      };
  }
}

/** Rebuilds "$@" with the placeholder replaced, word by word, so that nothing is split or expanded. */
const FILE_SCRIPT = `
file=$(mktemp) || exit 70
trap 'rm -f "$file"' EXIT
trap 'exit 143' TERM INT HUP
cat >"$file" || exit 70
count=$#
while [ "$count" -gt 0 ]; do
  word=$1
  shift
  [ "$word" = "${PROMPT_PLACEHOLDER}" ] && word=$file
  set -- "$@" "$word"
  count=$((count - 1))
done
"$@" </dev/null
`;

function place(command: readonly string[], value: string): string[] {
  if (!command.includes(PROMPT_PLACEHOLDER)) return [...command, value];
  return command.map((word) => (word === PROMPT_PLACEHOLDER ? value : word));
}
