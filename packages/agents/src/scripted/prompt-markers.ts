import type { Script, Step, When } from "./script.ts";

/** What the scripted agent understands of a prompt. */
export interface Markers {
  readonly issue: string | null;
  readonly kind: string | null;
  /** Which fix run of the cycle, from 1. */
  readonly fix: number | null;
  /** Ids of the listed threads, in order. */
  readonly threads: readonly string[];
}

/** Reads the marker lines; the first of each counts, because issue text further down may repeat them. */
export function readMarkers(prompt: string): Markers {
  const fix = /^Fix: (\d+) of \d+/m.exec(prompt)?.[1];
  return {
    issue: /^Issue: #?(\S+)/m.exec(prompt)?.[1] ?? null,
    kind: /^Run kind: (\w+)/m.exec(prompt)?.[1] ?? null,
    fix: fix === undefined ? null : Number(fix),
    threads: [...prompt.matchAll(/^Thread (\S+): /gm)].flatMap(([, id]) => id ?? []),
  };
}

/** The steps of the first run whose every condition holds, or null. */
export function selectSteps(script: Script, markers: Markers): readonly Step[] | null {
  return script.runs.find(({ when }) => holds(when, markers))?.steps ?? null;
}

function holds({ issue, kind, fix }: When, markers: Markers): boolean {
  if (issue !== undefined && String(issue).replace(/^#/, "") !== markers.issue) return false;
  if (kind !== undefined && kind !== markers.kind) return false;
  return fix === undefined || fix === markers.fix;
}
