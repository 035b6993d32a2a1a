import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { load, openPage, seriousOf, type Watched } from "./open-page.ts";
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
});

afterAll(async () => {
  await full.remove();
  await empty.remove();
});

const pages: Readonly<Record<string, (at: Showcase) => string>> = {
  overview: () => "/",
  loops: () => "/loops",
  "new loop": () => "/loops/new",
  loop: ({ running }) => `/loops/${running}`,
  "board of a loop": ({ running }) => `/loops/${running}?tab=board`,
  "activity of a loop": ({ running }) => `/loops/${running}?tab=activity`,
  plan: ({ approval }) => `/loops/${approval}`,
  "failed loop": ({ failed }) => `/loops/${failed}`,
  task: ({ task }) => `/tasks/${task}`,
  judgements: ({ task }) => `/tasks/${task}?tab=judgements`,
  "history of a task": ({ failedTask }) => `/tasks/${failedTask}?tab=history`,
  transcript: ({ run }) => `/runs/${run}`,
  diff: ({ run }) => `/runs/${run}?tab=diff`,
  logs: ({ run }) => `/runs/${run}?tab=logs&q=passed`,
  usage: () => "/usage?measure=total",
  "all judgements": () => "/judgements",
  agents: () => "/agents",
  audit: () => "/audit",
};

/** Of the other scheme those that have most of its colours. */
const inDark = ["overview", "board of a loop", "judgements", "transcript", "diff"];

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  const looked = Object.entries(pages).filter(([name]) => colorScheme === "light" || inDark.includes(name));
  let watched: Watched;

  beforeAll(async () => {
    watched = await openPage(server.url, { colorScheme, reducedMotion: "reduce" });
  });

  test.each(looked)("axe finds nothing serious: %s", async (_, pathOf) => {
    await settled(watched.page, pathOf(shown));
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
  for (const pathOf of Object.values(pages)) {
    await settled(page, pathOf(shown));
    expect(await page.evaluate("document.documentElement.scrollWidth"), pathOf(shown)).toBeLessThanOrEqual(
      390,
    );
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

/** The page at this address, when everything on it has been read. */
async function settled(page: Page, path: string): Promise<void> {
  await load(page, server.url + path);
  await page.locator("main h1").waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
}
