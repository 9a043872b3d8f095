/*
 * Writes `docs/reference/config.md` from the descriptions in the configuration's schema.
 *   npm run docs                       writes it
 *   npm run docs -- --check            writes nothing; fails when it is not current
 */
import { configReference } from "./reference/config-page.ts";
import { keepPage } from "./reference/keep-page.ts";

await keepPage("docs/reference/config.md", configReference());
