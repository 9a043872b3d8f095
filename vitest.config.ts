import { defineConfig } from "vitest/config";

// The `hive-source` export condition makes tests run the TypeScript sources of every package, not its build.
// Node gets them too, so "import" must not be among them: it would make require() of a dual package load the wrong half.
const conditions = ["hive-source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/store-template.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
