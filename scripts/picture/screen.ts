import type { IBufferCell, Terminal } from "@xterm/headless";

/** A piece of a line in one style. `color` is one of the sixteen terminal colours, or null for the usual one. */
export interface Piece {
  readonly column: number;
  readonly text: string;
  readonly color: number | null;
  readonly bold: boolean;
  readonly dim: boolean;
}

export interface Screen {
  readonly lines: readonly (readonly Piece[])[];
  /** Everything without its style, for comparison. */
  readonly text: string;
}

/** What a terminal shows now. */
export function screenOf(terminal: Terminal): Screen {
  const buffer = terminal.buffer.active;
  const lines: Piece[][] = [];
  const texts: string[] = [];
  for (let row = 0; row < terminal.rows; row += 1) {
    const line = buffer.getLine(buffer.baseY + row);
    const pieces: Piece[] = [];
    for (let column = 0; column < terminal.cols; column += 1) {
      const cell = line?.getCell(column);
      if (cell !== undefined && cell.getWidth() > 0) add(pieces, column, cell);
    }
    lines.push(pieces.map((piece) => ({ ...piece })).filter((piece) => piece.text.trim() !== ""));
    texts.push(line?.translateToString(true) ?? "");
  }
  return { lines: withoutEmptyEnd(lines), text: texts.join("\n") };
}

function add(pieces: Piece[], column: number, cell: IBufferCell): void {
  const style = {
    color: cell.isFgPalette() ? cell.getFgColor() : null,
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
  };
  const text = cell.getChars() === "" ? " " : cell.getChars();
  const last = pieces.at(-1);
  const same = last?.color === style.color && last.bold === style.bold && last.dim === style.dim;
  // Wide gaps are left out, so that every piece starts where it is read.
  const gap = last?.text.endsWith("  ") === true && text !== " ";
  if (last !== undefined && same && !gap) pieces[pieces.length - 1] = { ...last, text: last.text + text };
  else pieces.push({ column, text, ...style });
}

function withoutEmptyEnd(lines: readonly (readonly Piece[])[]): readonly (readonly Piece[])[] {
  const last = lines.findLastIndex((pieces) => pieces.length > 0);
  return lines.slice(0, last + 1);
}
