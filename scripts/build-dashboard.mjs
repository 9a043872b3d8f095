/*
 * Builds the dashboard into apps/dashboard/dist/web, when something that goes into it has changed since the last time.
 * Plain JavaScript, because it runs in every `npm run build` and must cost next to nothing when there is nothing to do.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const APP = join(ROOT, "apps/dashboard");
const PAGE = join(APP, "dist/web/index.html");
const STAMP = join(APP, "dist/web-sources.sha256");
const SOURCES = ["apps/dashboard/src", "packages/contracts/src"];
const FILES = [
  "apps/dashboard/index.html",
  "apps/dashboard/package.json",
  "apps/dashboard/tsconfig.json",
  "apps/dashboard/vite.config.ts",
  "packages/contracts/package.json",
  "package-lock.json",
  "scripts/build-dashboard.mjs",
];

/** A digest of everything that the built dashboard depends on. */
async function digest() {
  const listed = await Promise.all(
    SOURCES.map(async (folder) => {
      const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name));
      return files.map((entry) => join(entry.parentPath, entry.name));
    }),
  );
  const paths = [...listed.flat(), ...FILES.map((file) => join(ROOT, file))].sort();
  const hash = createHash("sha256");
  for (const path of paths) {
    const content = await readFile(path);
    hash.update(`${path.slice(ROOT.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

const wanted = await digest();
const built = existsSync(PAGE) && existsSync(STAMP) ? await readFile(STAMP, "utf8") : null;
if (built !== wanted) {
  // Takes most of a second to load, so only when it is wanted.
  const { build } = await import("vite");
  await build({ root: APP, logLevel: "warn" });
  await writeFile(STAMP, wanted);
}
