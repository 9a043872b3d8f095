import { isBuiltin } from "node:module";
import type { Rules } from "./check-imports.ts";
import type { Manifest, Source, Tree } from "./read-source.ts";

/** Differences between what package.json declares and what the sources use, per package. */
export function manifestProblems({ sources, manifests, shared }: Tree, { imports }: Rules): string[] {
  return manifests.flatMap((manifest) => {
    const own = sources.filter((source) => source.owner === manifest.owner);
    const given = imports[manifest.owner]?.devOnly ? shared : [];
    const problems = [...runtimeProblems(manifest, own, given), ...testProblems(manifest, own, shared)];
    return problems.map((problem) => `${manifest.path}: ${problem}`);
  });
}

function runtimeProblems(manifest: Manifest, own: readonly Source[], given: readonly string[]): string[] {
  const sources = own.filter(({ test }) => !test);
  const used = packagesOf(sources);
  const declared = Object.keys(manifest.dependencies);
  const missing = [...used].filter((name) => !declared.includes(name) && !given.includes(name));
  const idle = declared.filter(
    (name) => !used.has(name) && !used.has(described(name)) && !named(sources, name),
  );
  return [
    ...missing.map((name) => `uses ${name}, which it does not depend on`),
    ...idle.map((name) => `depends on ${name}, which nothing in it uses`),
  ];
}

function testProblems(manifest: Manifest, own: readonly Source[], shared: readonly string[]): string[] {
  const tests = own.filter(({ test }) => test);
  const used = packagesOf(tests);
  const dependencies = Object.keys(manifest.dependencies);
  const declared = Object.keys(manifest.devDependencies);
  const available = new Set([...dependencies, ...declared, ...shared]);
  const idle = declared.filter(
    (name) => !used.has(name) && !used.has(described(name)) && !named(tests, name),
  );
  return [
    ...[...used]
      .filter((name) => !available.has(name))
      .map((name) => `tests use ${name}, which is no development dependency`),
    ...idle.map((name) => `has the development dependency ${name}, which no test uses`),
    ...declared.filter((name) => dependencies.includes(name)).map((name) => `declares ${name} twice`),
  ];
}

function packagesOf(sources: readonly Source[]): Set<string> {
  const names = sources.flatMap(({ imports }) => imports.map(({ specifier }) => specifier));
  return new Set(names.filter((name) => !name.startsWith(".") && !isBuiltin(name)).map(packageOf));
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Is the package named in a string, as in `require.resolve("pkg/file")`? A bare word is not proof enough. */
function named(sources: readonly Source[], name: string): boolean {
  const texts = sources.flatMap(({ strings }) => [...strings]);
  return texts.some((text) => text.startsWith(`${name}/`) || (text === name && name.includes("/")));
}

/** The package that `@types/x` describes. */
function described(name: string): string {
  return name.replace(/^@types\//, "").replace(/^(.+)__(.+)$/, "@$1/$2");
}
