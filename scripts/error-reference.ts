/*
 * Writes `docs/reference/errors.md` from the places in the sources that make a `HiveError`. Takes `--check` as
 * `config-reference.ts` does.
 */
import { join } from "node:path";
import { errorReference } from "./reference/error-page.ts";
import { keepPage } from "./reference/keep-page.ts";

await keepPage("docs/reference/errors.md", await errorReference(join(import.meta.dirname, "..")));
