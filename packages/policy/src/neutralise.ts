/** Keeps `@` from being a mention without changing what people read. */
const WORD_JOINER = "\u2060";

/*
 * Lines that other bots act on: slash commands, bors, and words that start a line and mean "merge". A leading
 * backslash renders as nothing in Markdown, and no bot takes the line as its command any more.
 */
const COMMAND_LINE = /^([ \t]*(?:[>*+-][ \t]*)*)(\/[A-Za-z]|bors\b|@?homu\b|r\+)/gim;

/**
 * Makes text inert before the hive posts it: mentions do not call anybody, commands of other bots do not act (S25).
 * Neutralising twice changes nothing more.
 */
export function neutralise(text: string): string {
  return text
    .replace(/@(?=[A-Za-z0-9_])/g, `@${WORD_JOINER}`)
    .replace(COMMAND_LINE, (_, before: string, command: string) => `${before}\\${inert(command)}`);
}

function inert(command: string): string {
  return command.startsWith("/") ? command : `${command.slice(0, 1)}${WORD_JOINER}${command.slice(1)}`;
}
