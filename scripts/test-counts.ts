/*
 * Reads vitest's JSON report and prints `PASSED FAILED SKIPPED` on standard output for `.ci/run`; the names of skipped
 * tests and of files that did not load go to standard error.
 *   tsx scripts/test-counts.ts REPORT
 */
import { readFile } from "node:fs/promises";

interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const [path = ""] = process.argv.slice(2);
const report = JSON.parse(await readFile(path, "utf8")) as Report;
const tests = report.testResults.flatMap((file) => file.assertionResults);
const passed = tests.filter(({ status }) => status === "passed").length;
const skipped = tests.filter(({ status }) => ["pending", "skipped", "todo", "disabled"].includes(status));
const failedTests = tests.length - passed - skipped.length;

const unloaded = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === "failed" && !assertionResults.some((test) => test.status === "failed"),
);
for (const { name, message } of unloaded) console.error(`failed outside its tests: ${name}: ${message}`);
for (const { fullName } of skipped) console.error(`skipped: ${fullName}`);

const failed = failedTests + unloaded.length;
// An error that belongs to no test, such as an unhandled rejection, fails the run as well.
const unaccounted = !report.success && failed === 0 ? 1 : 0;
console.log(`${passed} ${failed + unaccounted} ${skipped.length}`);
