import { validate } from "@octokit/graphql-schema";
import { describe, expect, it } from "vitest";
import * as observe from "./observe-pull.ts";
import * as thread from "./thread-comments.ts";
import * as viewer from "./viewer.ts";

const DOCUMENTS = { ...observe, ...thread, ...viewer };

describe("our GraphQL documents", () => {
  it.each(Object.entries(DOCUMENTS))("%s is valid against GitHub's schema", (_name, document) => {
    expect(validate(document)).toEqual([]);
  });
});
