import type { Piece, Screen } from "./screen.ts";

const CELL = { width: 7.2, height: 16 };
const MARGIN = 14;
const BAR = 30;
const FRAME_SECONDS = 1.6;
/** The last screen stays, because it is the one to read. */
const LAST_SECONDS = 9;
const COLORS = {
  back: "#0d1117",
  bar: "#161b22",
  text: "#d0d7de",
  dim: "#7d8590",
  // The sixteen colours of a terminal.
  palette: [
    "#484f58",
    "#ff7b72",
    "#3fb950",
    "#d29922",
    "#58a6ff",
    "#bc8cff",
    "#39c5cf",
    "#b1bac4",
    "#6e7681",
    "#ffa198",
    "#56d364",
    "#e3b341",
    "#79c0ff",
    "#d2a8ff",
    "#56d4dd",
    "#f0f6fc",
  ],
} as const;

/** The screens as one picture that moves by itself; where motion is not wanted it shows the last one. */
export function svgOf(
  screens: readonly Screen[],
  options: { readonly columns: number; readonly title: string },
): string {
  const rows = Math.max(...screens.map(({ lines }) => lines.length));
  const width = Math.ceil(options.columns * CELL.width + 2 * MARGIN);
  const height = Math.ceil(rows * CELL.height + BAR + 2 * MARGIN);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(options.title)}">`,
    `<style>${styles(screens.length)}</style>`,
    `<rect width="100%" height="100%" rx="8" fill="${COLORS.back}"/>`,
    `<path d="M0 ${BAR}V8a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v${BAR - 8}z" fill="${COLORS.bar}"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (color, n) => `<circle cx="${18 + n * 18}" cy="15" r="5" fill="${color}"/>`,
    ),
    `<text x="${width / 2}" y="19" text-anchor="middle" class="d">${escaped(options.title)}</text>`,
    ...screens.map((screen, n) => frame(screen, n, screens.length)),
    "</svg>\n",
  ].join("\n");
}

function styles(count: number): string {
  const total = (count - 1) * FRAME_SECONDS + LAST_SECONDS;
  const share = (seconds: number): string => ((100 * seconds) / total).toFixed(2);
  const shown = `@keyframes f{0%{visibility:visible}${share(FRAME_SECONDS)}%,100%{visibility:hidden}}`;
  const kept = `@keyframes l{0%,${share((count - 1) * FRAME_SECONDS)}%{visibility:hidden}${share((count - 1) * FRAME_SECONDS + 0.01)}%,100%{visibility:visible}}`;
  return [
    `text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${COLORS.text};white-space:pre}`,
    `.d{fill:${COLORS.dim}}.b{font-weight:700}`,
    shown,
    kept,
    `.f{visibility:hidden;animation:f ${total}s step-end infinite}.l{animation:l ${total}s step-end infinite}`,
    "@media (prefers-reduced-motion:reduce){.f,.l{animation:none}}",
  ].join("\n");
}

function frame({ lines }: Screen, n: number, count: number): string {
  const kind =
    n === count - 1 ? `class="l"` : `class="f" style="animation-delay:${(n * FRAME_SECONDS).toFixed(1)}s"`;
  const texts = lines.flatMap((pieces, row) => pieces.map((piece) => textOf(piece, row)));
  return `<g ${kind}>\n${texts.join("\n")}\n</g>`;
}

function textOf(piece: Piece, row: number): string {
  const lead = piece.text.length - piece.text.trimStart().length;
  const text = piece.text.trim();
  const x = (MARGIN + (piece.column + lead) * CELL.width).toFixed(1);
  const y = BAR + MARGIN + row * CELL.height + 12;
  const length = (text.length * CELL.width).toFixed(1);
  const names = [piece.dim ? "d" : "", piece.bold ? "b" : ""].filter((name) => name !== "").join(" ");
  const style = `${names === "" ? "" : ` class="${names}"`}${piece.color === null ? "" : ` fill="${COLORS.palette[piece.color] ?? COLORS.text}" style="fill:${COLORS.palette[piece.color] ?? COLORS.text}"`}`;
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${style}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
