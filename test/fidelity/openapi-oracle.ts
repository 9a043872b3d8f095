import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { EVERYWHERE } from "./openapi-exceptions.ts";

const FILE = join(
  import.meta.dirname,
  "../oracles/node_modules/@octokit/openapi/generated/api.github.com.json",
);

interface Description {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
}

export interface Judgement {
  /** GitHub's operation id, or null when no operation has this path. */
  operation: string | null;
  problems: string[];
}

/** Judges REST answers by GitHub's own OpenAPI description. */
export interface Oracle {
  judge(method: string, path: string, status: number, body: unknown): Judgement;
}

/** Loads the description. Throws with the command that installs it when it is missing. */
export function loadOracle(): Oracle {
  if (!existsSync(FILE))
    throw new Error(`GitHub's OpenAPI description is missing: run "npm ci --prefix test/oracles"`);
  const description = nullableAsUnion(JSON.parse(readFileSync(FILE, "utf8"))) as Description;
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true, logger: false });
  addFormats.default(ajv);
  ajv.addSchema(description, "gh");
  ajv.addSchema(PLAIN_ERROR);
  const templates = Object.keys(description.paths).map((template) => ({
    template,
    pattern: patternOf(template),
  }));
  const compiled = new Map<string, ValidateFunction>();
  const problemsOf = (pointer: string, body: unknown): string[] => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: pointer });
    compiled.set(pointer, known);
    if (known(body) === true) return [];
    const errors = (known.errors ?? []).map((it) => `${it.instancePath || "/"} ${it.message}`);
    return [...new Set(errors)];
  };
  return {
    judge: (method, path, status, body) => {
      const plain = path.replace(/\?.*$/, "").replace(/^\/api\/v3(?=\/)/, "");
      const verb = method.toLowerCase();
      const fits = templates
        .filter((it) => it.pattern.test(plain) && description.paths[it.template]?.[verb] !== undefined)
        .sort((a, b) => wildness(a.template) - wildness(b.template))[0];
      const operation = fits === undefined ? undefined : description.paths[fits.template]?.[verb];
      if (fits === undefined || operation === undefined)
        return { operation: null, problems: ["no such operation"] };
      const { operationId } = operation;
      if (operation.responses[status] !== undefined) {
        const pointer = schemaPointer(description, fits.template, verb, status);
        const problems = pointer === null ? [] : problemsOf(`gh#${pointer}`, body);
        return { operation: operationId, problems };
      }
      return { operation: operationId, problems: undocumented(status, body, problemsOf) };
    },
  };
}

/** What GitHub's errors have in common; its own `basic-error` demands none of it. */
const PLAIN_ERROR = {
  $id: "plain-error",
  allOf: [{ $ref: "gh#/components/schemas/basic-error" }],
  required: ["message", "documentation_url", "status"],
  additionalProperties: false,
  properties: { message: {}, documentation_url: {}, status: {}, errors: { type: "array" } },
};

function undocumented(
  status: number,
  body: unknown,
  problemsOf: (pointer: string, body: unknown) => string[],
): string[] {
  if (EVERYWHERE[status] === undefined) return [`status ${status} is not documented`];
  if (status !== 304) return problemsOf(PLAIN_ERROR.$id, body);
  return body === null || body === "" ? [] : ["a 304 has a body"];
}

/** Parameters that may hold slashes. */
const OPEN = new Set(["{ref}", "{path}", "{branch}", "{basehead}"]);

function patternOf(template: string): RegExp {
  const body = template.replaceAll(/\{[^}]+\}|[.*+?^$()|[\]\\]/g, (it) =>
    it.startsWith("{") ? (OPEN.has(it) ? "(.+)" : "([^/]+)") : `\\${it}`,
  );
  return new RegExp(`^${body}$`);
}

/** How little of a template is fixed; the least open one that fits is the operation. */
function wildness(template: string): number {
  return -template.replaceAll(/\{[^}]+\}/g, "").length;
}

function schemaPointer(
  description: Description,
  template: string,
  verb: string,
  status: number,
): string | null {
  const pointerPart = (it: string): string => it.replaceAll("~", "~0").replaceAll("/", "~1");
  let pointer = `/paths/${pointerPart(template)}/${verb}/responses/${status}`;
  let response = description.paths[template]?.[verb]?.responses[status] as {
    $ref?: string;
    content?: Record<string, unknown>;
  };
  if (response.$ref !== undefined) {
    pointer = response.$ref.slice(1);
    response = pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], description) as typeof response;
  }
  if (response.content?.["application/json"] === undefined) return null;
  return encodeURI(`${pointer}/content/application~1json/schema`);
}

/** OpenAPI 3.0 says `nullable`, JSON schema says `anyOf null`. */
function nullableAsUnion(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullableAsUnion);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, it]) => [
    key,
    key === "examples" || key === "example" ? null : nullableAsUnion(it),
  ]);
  const copy = Object.fromEntries(
    entries.filter(([key]) => key !== "examples" && key !== "example"),
  ) as Record<string, unknown>;
  if (copy.nullable !== true) return copy;
  const { nullable: _nullable, ...rest } = copy;
  return { anyOf: [rest, { type: "null" }] };
}
