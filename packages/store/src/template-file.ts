import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { MIGRATIONS } from "./migrations/index.ts";

/**
 * Where `npm run template -w packages/store` puts the template and where a first start looks for one. The name holds
 * all that it depends on, so that one of another version is never used.
 */
export function templateFile(): string {
  const main = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const { version } = JSON.parse(
    readFileSync(path.join(path.dirname(main), "..", "package.json"), "utf8"),
  ) as {
    version: string;
  };
  const schema = MIGRATIONS.at(-1)?.number ?? 0;
  return path.join(import.meta.dirname, "..", "dist", `template-${version}-${schema}.tar.gz`);
}
