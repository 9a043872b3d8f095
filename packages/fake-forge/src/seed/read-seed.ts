import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse as parseYaml } from "yaml";
import { ForgeStartError } from "../errors.ts";
import { Seed } from "./seed-schema.ts";

/** Reads a YAML or JSON seed file; relative `source` paths start at the file's folder. */
export function readSeedFile(file: string): Seed {
  let data: unknown;
  try {
    data = parseYaml(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new ForgeStartError("FORGE_SEED_INVALID", `seed ${file} can't be read: ${String(cause)}`, cause);
  }
  const seed = parseSeed(data ?? {}, file);
  for (const repository of seed.repositories) {
    if (repository.source !== undefined) repository.source = resolve(dirname(file), repository.source);
  }
  return seed;
}

/** Checks a seed and reports every problem at once. Throws ForgeStartError `FORGE_SEED_INVALID`. */
export function parseSeed(data: unknown, from = "seed"): Seed {
  const result = Seed.safeParse(data);
  if (result.success) return result.data;
  const problems = result.error.issues.map((it) => `  ${it.path.join(".") || "(top)"}: ${it.message}`);
  throw new ForgeStartError(
    "FORGE_SEED_INVALID",
    `${from} has ${problems.length} problem(s):\n${problems.join("\n")}`,
  );
}
