import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer } from "../setup/ask-server.ts";
import { load, openPage, seriousOf, standsStill, type Watched } from "./open-page.ts";
import { type Showcase, showcase } from "./showcase.ts";

const engine = process.env["DOCKER_HOST"];
const full = temporaryServer(engine === undefined ? {} : { DOCKER_HOST: engine });
const empty = temporaryServer(engine === undefined ? {} : { DOCKER_HOST: engine });

let server: RunningServer;
let bare: RunningServer;
let shown: Showcase;

beforeAll(async () => {
  server = await full.start();
  bare = await empty.start();
  shown = await showcase(server);
  const key = { method: "POST", body: { name: "a-key-of-a-test" } };
  expect((await askServer(server.url, "/auth/keys", key)).status).toBe(201);
  const secret = { method: "PUT", body: { value: "of a test" } };
  expect((await askServer(server.url, "/secrets/npm_token", secret)).status).toBeLessThan(300);
});

afterAll(async () => {
  await full.remove();
  await empty.remove();
});

interface Looked {
  path: (at: Showcase) => string;
  /** What its own part of the page says when it is there, so that an empty one is not taken for it. */
  says: string;
}

const pages = {
  overview: { path: () => "/", says: "#3 Print rows as JSON lines" },
  loops: { path: () => "/loops", says: "Upgrade the HTTP client to version 7" },
  "new loop": { path: () => "/loops/new", says: "Start the loop" },
  loop: { path: ({ running }) => `/loops/${running}`, says: "Stream large reports" },
  "board of a loop": { path: ({ running }) => `/loops/${running}?tab=board`, says: "Document the flag" },
  "activity of a loop": {
    path: ({ running }) => `/loops/${running}?tab=activity`,
    says: "Merged to the branch",
  },
  "runs of a loop": { path: ({ running }) => `/loops/${running}?tab=runs`, says: "Tester 2" },
  requirement: { path: ({ running }) => `/loops/${running}?tab=requirement`, says: "One object a line." },
  plan: { path: ({ approval }) => `/loops/${approval}`, says: "Approve the plan" },
  "failed loop": { path: ({ failed }) => `/loops/${failed}`, says: "the checks were red three times" },
  task: { path: ({ task }) => `/tasks/${task}`, says: "Do it." },
  judgements: { path: ({ task }) => `/tasks/${task}?tab=judgements`, says: "Assert on the rows" },
  "history of a task": {
    path: ({ failedTask }) => `/tasks/${failedTask}?tab=history`,
    says: "the checks were red three times",
  },
  transcript: { path: ({ run }) => `/runs/${run}`, says: "One is red: rows are joined" },
  diff: { path: ({ run }) => `/runs/${run}?tab=diff`, says: "A table for people" },
  logs: { path: ({ run }) => `/runs/${run}?tab=logs&q=passed`, says: "42 passed" },
  usage: { path: () => "/usage?measure=total", says: "Claude Code" },
  "all judgements": { path: () => "/judgements", says: "Write tests for JSON output" },
  agents: { path: () => "/agents", says: "Claude Code" },
  audit: { path: () => "/audit", says: "/auth/keys" },
} satisfies Readonly<Record<string, Looked>>;

/** Those that other files look at with axe. */
const others: Readonly<Record<string, Looked>> = {
  sandboxes: { path: () => "/sandboxes", says: "No sandboxes" },
  environment: { path: () => "/system", says: "Execution_Environment" },
  processes: { path: () => "/system?tab=processes", says: "dispatcher" },
  configuration: { path: () => "/system?tab=configuration", says: "OPENTIGER_DAY_USD" },
  keys: { path: () => "/system?tab=keys", says: "a-key-of-a-test" },
  secrets: { path: () => "/secrets", says: "npm_token" },
};

/** Of the other scheme those that have most of its colours. */
const inDark = ["overview", "board of a loop", "judgements", "transcript", "diff"];

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  const chosen = Object.entries(pages).filter(([name]) => colorScheme === "light" || inDark.includes(name));
  let watched: Watched;

  beforeAll(async () => {
    watched = await openPage(server.url, { colorScheme, reducedMotion: "reduce" });
  });

  test.each(chosen)("axe finds nothing serious: %s", async (_, looked) => {
    await settled(watched.page, looked);
    expect(await seriousOf(watched.page)).toEqual([]);
  });

  test("nothing complained, and nothing was asked of anybody else", () => {
    expect(watched).toMatchObject({ complaints: [], foreign: [] });
  });
});

test.each(["/", "/loops"])("an empty page teaches how to begin: %s", async (path) => {
  const { page, complaints } = await openPage(bare.url + path);
  await page.getByRole("link", { name: "New loop" }).first().waitFor();
  await page.getByText(/Welcome to openTiger|Start your first loop/).waitFor();
  expect(await seriousOf(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("on a phone no page is wider than it", async () => {
  const { page } = await openPage(server.url, { viewport: { width: 390, height: 844 } });
  for (const [name, looked] of Object.entries({ ...pages, ...others })) {
    await settled(page, looked);
    expect(await page.evaluate("document.documentElement.scrollWidth"), name).toBeLessThanOrEqual(390);
  }
});

test("the first load is at most 250 kB of script, compressed", async () => {
  const { page } = await openPage(server.url);
  await page.locator("main h1").waitFor();
  const loaded = z
    .array(z.string())
    .parse(await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)"));
  const scripts = loaded.filter((name) => name.endsWith(".js"));
  const sizes = await Promise.all(
    scripts.map(async (name) => gzipSync(Buffer.from(await (await fetch(name)).arrayBuffer())).length),
  );
  expect(scripts.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(250_000);
});

test("without a mouse: the skip link, a page by its letters, and the command menu", async () => {
  const { page } = await openPage(server.url);
  await page.locator("main h1").waitFor();
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.getAttribute('href')")).toBe("#content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await page.waitForURL("**/loops");
  await page.locator("main").getByText(pages.loops.says).first().waitFor();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.getByText("New loop").waitFor();
  expect(await seriousOf(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("flaky clock");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/loops/${shown.done}`);
});

/** This page, when everything on it has been read. */
async function settled(page: Page, { path, says }: Looked): Promise<void> {
  await load(page, server.url + path(shown));
  await page.locator("main h1").waitFor();
  await page.locator("main").getByText(says).filter({ visible: true }).first().waitFor();
  await standsStill(page);
}
