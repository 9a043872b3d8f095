import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSource, type SourceFacts } from "./parse-source.ts";

export interface Source extends SourceFacts {
  /** From the root, with forward slashes. */
  readonly path: string;
  /** The last part of the package's name: `domain`, `hive`. */
  readonly owner: string;
  /** Tests and what stands in a `testing` folder: never part of a build. */
  readonly test: boolean;
}

export interface Manifest {
  readonly path: string;
  readonly owner: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

export interface Tree {
  readonly sources: readonly Source[];
  readonly manifests: readonly Manifest[];
  /** Development dependencies of the root, which every test may use. */
  readonly shared: readonly string[];
}

const SCOPE = "@worktree-hive/";

/** Reads every package of `packages` and `apps` under `root`. Throws when a file does not parse. */
export async function readTree(root: string): Promise<Tree> {
  const sources: Source[] = [];
  const manifests: Manifest[] = [];
  for (const group of ["packages", "apps"])
    for (const folder of await folders(join(root, group))) {
      const base = `${group}/${folder}`;
      const manifest = await readManifest(root, `${base}/package.json`);
      manifests.push(manifest);
      for (const path of await sourcePaths(root, base))
        sources.push({
          path,
          owner: manifest.owner,
          test: /\.test\.tsx?$|\/testing\//.test(path),
          ...parseSource(path, await readFile(join(root, path), "utf8")),
        });
    }
  const top = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as Partial<Manifest>;
  return { sources, manifests, shared: Object.keys(top.devDependencies ?? {}) };
}

async function readManifest(root: string, path: string): Promise<Manifest> {
  const content = JSON.parse(await readFile(join(root, path), "utf8")) as Partial<Manifest> & {
    name: string;
  };
  return {
    path,
    owner: content.name.replace(SCOPE, ""),
    dependencies: content.dependencies ?? {},
    devDependencies: content.devDependencies ?? {},
  };
}

async function folders(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

async function sourcePaths(root: string, base: string): Promise<string[]> {
  const entries = await readdir(join(root, base), { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => `${entry.parentPath.slice(root.length).replace(/^\//, "")}/${entry.name}`)
    .filter((path) => /\/src\/.*\.tsx?$|\/bin\/.*\.js$/.test(path) && !/\/(node_modules|dist)\//.test(path))
    .sort();
}
