import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type RunningControlPlane, startControlPlane } from "@worktree-hive/control-plane";
import type { Store } from "@worktree-hive/domain";
import { run } from "@worktree-hive/exec";
import { freePort } from "@worktree-hive/testkit";
import { source as axe } from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestStore, type TestStore, testDeps } from "../../apps/control-plane/src/testing/harness.ts";
import { dashboardDir } from "../../apps/hive/src/service/dashboard-dir.ts";
import { hostileJob, seedJobs } from "./harness/dashboard-jobs.ts";

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--no-first-run",
  "--disable-sync",
  "--disable-component-update",
];
/** How soon what happens must be seen, in milliseconds. */
const SOON = 2_000;
const FULL = "/jobs/12-a3f9c1";

let opened: TestStore;
let store: Store;
let port: number;
let plane: RunningControlPlane;
let browser: Browser;
let page: Page;
/** What the browser complained of: console errors, exceptions, things the content security policy refused. */
let complaints: string[];

function startPlane(): Promise<RunningControlPlane> {
  const deps = testDeps(opened, undefined, { dashboardDir: dashboardDir() });
  const server = { ...deps.config.server, port };
  return startControlPlane({ ...deps, config: { ...deps.config, server } });
}

beforeAll(async () => {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: apt-get install -y chromium`);
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const built = await run(process.execPath, ["scripts/build-dashboard.mjs"], { cwd: root });
  expect(built).toMatchObject({ exitCode: 0 });
  opened = await openTestStore();
  store = opened.store;
  port = await freePort();
  plane = await startPlane();
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
});

afterAll(async () => {
  await browser?.close();
  await plane?.close();
  await opened?.close();
});

beforeEach(async () => {
  page = await browser.newPage();
  complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
});

afterEach(() => page.close());

const visit = (path: string) => page.goto(`${plane.url}${path}`);
const seen = (text: string, timeout = SOON) => page.getByText(text).first().waitFor({ timeout });

describe("an empty board", () => {
  it("teaches how a job begins, and shows the first ones without a reload", async () => {
    await visit("/");
    await seen("hive add https://github.com/owner/name/issues/12");
    await seen("Live");

    await seedJobs(store);

    await seen("Retry uploads when the network drops");
    expect(await page.getByText("hive add").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("the board", () => {
  it("groups jobs by what they want, those that need a human first", async () => {
    await visit("/");
    await seen("Retry uploads");

    const sections = page.getByRole("region");
    expect(await sections.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
      "Needs you 2",
      "Working 1",
      "In review 1",
      "Ready 1",
      "Done 1",
    ]);
    const first = await sections.first().textContent();
    for (const text of [
      "A human is needed: the fix budget is spent",
      'check "unit" ended with failure',
      "acme/app#12",
      "PR #31",
      "fixes 1/3",
      "3 h old",
      "Which year should 29 February mean?",
      "no PR yet",
    ])
      expect(first).toContain(text);
    expect(await page.getByRole("link", { name: "acme/app#12" }).getAttribute("href")).toBe(
      "https://github.com/acme/app/issues/12",
    );
    expect(complaints).toEqual([]);
  });

  it("is used by keyboard: a job opens with Enter, its heading gets the focus, and going back works", async () => {
    await visit("/");
    const link = page.getByRole("link", { name: "Retry uploads when the network drops" });
    await link.waitFor();
    await page.keyboard.press("Tab");
    for (let steps = 0; steps < 20; steps += 1) {
      if (await link.evaluate((element) => element === element.ownerDocument.activeElement)) break;
      await page.keyboard.press("Tab");
    }

    await page.keyboard.press("Enter");

    const heading = page.getByRole("heading", { level: 1, name: "Retry uploads when the network drops" });
    await heading.waitFor();
    expect(await heading.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(new URL(page.url()).pathname).toBe(FULL);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
  });

  it("says when it is not connected, and by itself when it is again", async () => {
    await visit("/");
    await seen("Live");

    await plane.close();
    await seen("Not connected to the hive since");
    await seen("What you see may be out of date");
    plane = await startPlane();

    await seen("Live", 10_000);
    await page.getByText("Not connected").waitFor({ state: "detached", timeout: SOON });
  });
});

describe("a job's page", () => {
  it("opens by its address and shows everything that belongs to the job", async () => {
    await visit(FULL);
    await seen("Uploads are tried again three times");

    const text = await page.getByRole("main").textContent();
    for (const part of [
      "hive/12-a3f9c1/retry-uploads-when-the-network-drops",
      "/srv/hive/worktrees/acme/app/12-a3f9c1",
      'check "unit" ended with failure',
      "Pushed 3f2a9c81d04b",
      "took 2 min",
      "in a bubblewrap jail",
      "cycle 1",
      "refs/hive/rescue/12-a3f9c1/1",
      "uncommitted edits after the run",
      "open pull",
      "Queued for acme/app#12",
    ])
      expect(text).toContain(part);
    expect(await page.title()).toBe("Retry uploads when the network drops · Worktree hive");
    expect(complaints).toEqual([]);
  });

  it("shows what happens within 2 s, without a reload", async () => {
    await visit(FULL);
    await seen("Queued for acme/app#12");
    await seen("Live");
    await page.evaluate("globalThis.sameDocument = true");

    await store.timeline.append("12-a3f9c1", [
      { type: "test.said", text: "A human pressed a key", data: {} },
    ]);

    await seen("A human pressed a key");
    expect(await page.evaluate("globalThis.sameDocument")).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("says that there is no such job", async () => {
    await visit("/jobs/none");

    await page.getByRole("alert").filter({ hasText: "No job none." }).waitFor({ timeout: 5_000 });
  });

  it("shows what an issue's author wrote as text, and follows no script address", async () => {
    const { job } = await store.jobs.create(hostileJob(), 1, []);
    await visit(`/jobs/${job.id}`);
    await seen("<img src=x onerror=alert(1)>");

    expect(await page.locator("a[href^='javascript']").count()).toBe(0);
    expect(await page.locator("main img").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  it.each(["/", FULL])("%s has no serious accessibility violation, and fits a phone", async (path) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 740 });
    await visit(path);
    await seen("Retry uploads");
    await seen("Live");

    await page.evaluate(axe);
    const violations = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
      "axe.run().then((found) => found.violations)",
    );
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    const paper = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(paper).toBe(colorScheme === "light" ? "rgb(246, 246, 244)" : "rgb(21, 23, 26)");
  });
});
