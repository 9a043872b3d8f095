import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  type DocumentNode,
  execute,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
} from "graphql";
import { z } from "zod";
import type { Viewer } from "../auth/access.ts";
import { ApiError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Json } from "../render/json.ts";
import type { Context } from "./context.ts";
import { mutationRoot } from "./mutation-root.ts";
import { queryRoot } from "./query-root.ts";
import { refView, repositoryView } from "./repository-view.ts";
import { githubSchema, readField, validateDocument } from "./schema.ts";

const Request = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});
type Request = z.infer<typeof Request>;

/** `POST /graphql`: GitHub's schema, always 200 once the caller is known, errors inside. */
export function graphqlRoutes(
  app: FastifyInstance,
  forge: Forge,
  viewerOf: (request: FastifyRequest) => Viewer | null,
): void {
  for (const url of ["/graphql", "/api/graphql"]) {
    app.post(url, async (request, reply) => {
      const viewer = viewerOf(request);
      if (viewer === null) throw new ApiError(401, "This endpoint requires you to be authenticated.");
      const input = Request.safeParse(request.body ?? {});
      if (!input.success)
        throw new ApiError(400, "A query attribute must be specified and must be a string.");
      const context: Context = { forge, viewer, views: { repository: repositoryView, ref: refView } };
      const result = await answer(input.data, context, request);
      return reply.type("application/json; charset=utf-8").send(JSON.stringify(result));
    });
  }
}

async function answer(input: Request, context: Context, request: FastifyRequest): Promise<Json> {
  const document = parseDocument(input.query);
  if (document instanceof GraphQLError) return { errors: [renderError(document)] };
  const problems = validateDocument(document);
  if (problems.length > 0) return { errors: problems.map(renderError) };
  const operation = getOperationAST(document, input.operationName);
  context.forge.requests.noteFields(request, rootFields(document, operation));
  const result = await execute({
    schema: githubSchema(),
    document,
    rootValue: operation?.operation === "mutation" ? mutationRoot : queryRoot,
    contextValue: context,
    variableValues: input.variables ?? {},
    operationName: input.operationName ?? null,
    fieldResolver: readField,
  });
  const errors = result.errors?.map(renderError);
  return { data: result.data ?? null, ...(errors === undefined ? {} : { errors }) };
}

function parseDocument(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query);
  } catch (cause) {
    if (cause instanceof GraphQLError) return cause;
    throw cause;
  }
}

/** Root fields for the request log; those inside fragments are named by the fragment. */
function rootFields(document: DocumentNode, operation: OperationDefinitionNode | null | undefined): string[] {
  const [first] = document.definitions;
  const chosen = operation ?? (first?.kind === "OperationDefinition" ? first : null);
  return (chosen?.selectionSet.selections ?? []).map((it) =>
    it.kind === "InlineFragment" ? "..." : it.name.value,
  );
}

/** GitHub puts `type` beside `message`; refusals of the shared operations arrive as ApiError. */
function renderError(error: GraphQLError): Json {
  const { originalError } = error;
  const type =
    originalError instanceof ApiError
      ? ({ 403: "FORBIDDEN", 404: "NOT_FOUND" }[originalError.status as 403] ?? "UNPROCESSABLE")
      : error.extensions.type;
  const details =
    originalError instanceof ApiError
      ? originalError.errors?.map((it) => (typeof it === "string" ? it : (it.message ?? it.code))).join("; ")
      : null;
  return {
    ...(type === undefined ? {} : { type }),
    ...(error.path === undefined ? {} : { path: error.path }),
    locations: error.locations,
    message: details ?? error.message,
  };
}
