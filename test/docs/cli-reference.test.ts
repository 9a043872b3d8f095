import { describe, expect, it } from "vitest";
import { EXIT } from "../../apps/hive/src/cli/exit-codes.ts";
import { buildProgram } from "../../apps/hive/src/program.ts";
import { firstCells, pageOf } from "./page.ts";

type Command = ReturnType<typeof buildProgram>;

const page = await pageOf("docs/reference/cli.md");
const program = buildProgram(() => undefined);
// The hidden command is what the shell itself calls while it completes a line.
const commands = program.commands.filter((command) => !hidden(command) && command.name() !== "help");

describe("docs/reference/cli.md", () => {
  it("has a section for every command and for no other", () => {
    const sections = [...page.matchAll(/^## `hive ([^`]+)`$/gm)].map(([, name]) => name);

    expect(sections.sort()).toEqual(commands.map((command) => command.name()).sort());
  });

  it.each(commands.map((command) => [command.name(), command] as const))(
    "names every option and argument of %s",
    (name, command) => {
      const told = firstCells(sectionOf(`hive ${name}`));
      const options = command.options.map(({ flags }) => flags);
      const args = command.registeredArguments.map((argument) => `<${argument.name()}>`);

      expect(told.sort()).toEqual([...options, ...args].sort());
    },
  );

  it("names every option that all commands have", () => {
    const section = page.slice(page.indexOf("## Everywhere"), page.indexOf("## `hive"));
    const flags = program.options.map((option) => option.flags);

    expect(firstCells(section).sort()).toEqual([...flags, "-h, --help"].sort());
  });

  it("explains every exit code and no other", () => {
    const rows = [...page.matchAll(/^\| (\d+) \| `(\w+)` \| .+ \|$/gm)].map(([, code, name]) => [
      name,
      Number(code),
    ]);

    expect(Object.fromEntries(rows)).toEqual(EXIT);
  });
});

function sectionOf(title: string): string {
  const start = page.indexOf(`## \`${title}\``);
  const end = page.indexOf("\n## ", start + 1);
  return page.slice(start, end === -1 ? undefined : end);
}

function hidden(command: Command): boolean {
  return (command as unknown as { readonly _hidden: boolean })._hidden;
}
