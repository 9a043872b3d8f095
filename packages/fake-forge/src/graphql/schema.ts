import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  buildSchema,
  type DocumentNode,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  validate,
} from "graphql";
import { type Context, problem } from "./context.ts";

let built: GraphQLSchema | null = null;

/** GitHub's own schema, built once (about two seconds). It has duplicated fields, hence `assumeValidSDL`. */
export function githubSchema(): GraphQLSchema {
  if (built !== null) return built;
  const main = createRequire(import.meta.url).resolve("@octokit/graphql-schema/package.json", {
    paths: [import.meta.dirname],
  });
  built = buildSchema(readFileSync(join(dirname(main), "schema.graphql"), "utf8"), { assumeValidSDL: true });
  return built;
}

// gh's own documents break this rule, and GitHub answers them (forge-and-agents 3).
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

export function validateDocument(document: DocumentNode): readonly GraphQLError[] {
  return validate(githubSchema(), document, RULES);
}

/** Reads a field of a view. A field that no view has is said to be missing: null would be a lie. */
export const readField: GraphQLFieldResolver<Record<string, unknown>, Context> = (
  source,
  args,
  context,
  info,
) => {
  if (!Object.hasOwn(source, info.fieldName)) {
    throw problem("UNPROCESSABLE", `fake-forge does not model ${info.parentType.name}.${info.fieldName}`);
  }
  const value = source[info.fieldName];
  return typeof value === "function"
    ? (value as (...given: unknown[]) => unknown)(args, context, info)
    : value;
};
