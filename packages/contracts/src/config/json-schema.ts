import { z } from "zod";
import { HiveConfigFile } from "./schema.ts";

/** The JSON Schema of `hive.yaml`, for editors; published as `docs/reference/hive.schema.json`. */
export function configJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(HiveConfigFile, { io: "input", target: "draft-2020-12" });
  return { ...schema, title: "Worktree hive configuration", description: "The file hive.yaml." };
}
