import { Kind, parse, type SelectionNode } from "graphql";
import { parseApiPath } from "../api-path.ts";
import { judgeRest } from "../judge-rest.ts";
import { type OptionTable, parseOptions } from "./options.ts";
import { ALLOWED, type Arg, type CommandVerdict, refuse, type Scene } from "./scene.ts";

const API: OptionTable = {
  long: {
    method: "value",
    field: "value",
    "raw-field": "value",
    header: "value",
    input: "value",
    jq: "value",
    template: "value",
    hostname: "value",
    preview: "value",
    cache: "value",
    paginate: "flag",
    include: "flag",
    silent: "flag",
    slurp: "flag",
    verbose: "flag",
    help: "flag",
  },
  short: {
    X: "method",
    F: "field",
    f: "raw-field",
    H: "header",
    q: "jq",
    t: "template",
    p: "preview",
    i: "include",
    h: "help",
  },
};

/** Writes that say something and move nothing; the hive's API gate still refuses them. */
const SAYING = [/^issues\/\d+\/comments$/, /^pulls\/\d+\/comments$/, /^pulls\/\d+\/comments\/\d+\/replies$/];
const SAYING_MUTATIONS = new Set([
  "addcomment",
  "addpullrequestreviewthreadreply",
  "resolvereviewthread",
  "unresolvereviewthread",
  "addreaction",
]);

/** Judges the words after `gh api`. */
export function judgeGhApi(args: readonly Arg[], scene: Scene): CommandVerdict {
  const parsed = parseOptions(args, API);
  const values = (name: string): Arg[] =>
    parsed.options.flatMap((option) => (option.name === name && option.value !== null ? [option.value] : []));
  if (parsed.options.some(({ name }) => name === "help")) return ALLOWED;
  if (values("header").some(({ text }) => /method-?override|^authorization/i.test(text)))
    return refuse("merge.rest");
  const [endpoint] = parsed.positionals;
  if (endpoint === undefined) return refuse("api.unlisted");
  const fields = [...values("field"), ...values("raw-field")];
  if (/^\/?graphql\/?$/i.test(endpoint.text)) return judgeQuery(fields, values("input").length > 0);
  const given = values("method").at(-1);
  const method = given ?? { text: fields.length + values("input").length > 0 ? "POST" : "GET", known: true };
  if (!method.known || !endpoint.known) {
    const reads = method.known && /^(?:GET|HEAD)$/i.test(method.text);
    return reads ? ALLOWED : refuse("merge.rest", "the request is decided at run time");
  }
  return judgeEndpoint(method.text.toUpperCase(), endpoint.text, fields, scene);
}

function judgeEndpoint(
  method: string,
  endpoint: string,
  fields: readonly Arg[],
  { context }: Scene,
): CommandVerdict {
  if (method === "GET" || method === "HEAD") return ALLOWED;
  const { owner, name } = context.repository;
  const path = endpoint.replace(/\{owner\}|:owner/g, owner).replace(/\{repo\}|:repo/g, name);
  const below = parseApiPath(path)?.segments.slice(3).join("/") ?? "";
  const orders = fields.some(({ text }) =>
    /^body=\s*(?:\/|@[\w-]+ (?:merge|squash|queue)|bors )/i.test(text),
  );
  if (method === "POST" && SAYING.some((it) => it.test(below)))
    return orders ? refuse("merge.proxy") : ALLOWED;
  const { rule } = judgeRest({ method, path, repository: context.repository });
  return refuse(rule);
}

function judgeQuery(fields: readonly Arg[], fromInput: boolean): CommandVerdict {
  const query = fields.findLast(({ text }) => text.startsWith("query="));
  const text = query?.text.slice("query=".length) ?? "";
  if (fromInput || query === undefined || !query.known || text.startsWith("@")) {
    return refuse("merge.graphql", "the query cannot be seen; write it into the command");
  }
  const names = mutationFields(text);
  if (names === null) return refuse("api.malformed");
  const [worst] = names.flatMap((name) => ruleOfMutation(name) ?? []);
  return worst === undefined ? ALLOWED : refuse(worst);
}

/** The root fields of everything in the document that is not a query; null when it cannot be read. */
function mutationFields(text: string): string[] | null {
  try {
    const document = parse(text, { maxTokens: 5000, noLocation: true });
    const writes = document.definitions.some(
      (it) => it.kind === Kind.OPERATION_DEFINITION && it.operation !== "query",
    );
    if (!writes) return [];
    return document.definitions.flatMap((definition) => {
      const query = definition.kind === Kind.OPERATION_DEFINITION && definition.operation === "query";
      return query || !("selectionSet" in definition)
        ? []
        : namesIn(definition.selectionSet?.selections ?? []);
    });
  } catch {
    return null; // not GraphQL: the caller refuses
  }
}

function namesIn(selections: readonly SelectionNode[]): string[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection.name.value.toLowerCase()];
    return selection.kind === Kind.INLINE_FRAGMENT ? namesIn(selection.selectionSet.selections) : [];
  });
}

function ruleOfMutation(name: string): string | null {
  if (SAYING_MUTATIONS.has(name)) return null;
  if (name === "enablepullrequestautomerge") return "merge.auto";
  if (/merge|enqueue|revert/.test(name)) return "merge.graphql";
  return /ref|commit|branch/.test(name) ? "ref.rest-write" : "api.write";
}
