import { schema } from "@octokit/graphql-schema";
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
  built = buildSchema(schema.idl, { assumeValidSDL: true });
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
