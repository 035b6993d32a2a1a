import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@opentiger/orchestrator";
import type { Browser, Page } from "playwright-core";
import { z } from "zod";
import { writeEvents } from "./sse.ts";
import { type SpokenRun, showsLines } from "./transcript.ts";

export interface PageMemory {
  page: (typeof pages)[number];
  /** What it holds after a quarter of what happened, and after all, when its garbage is collected. */
  before: number;
  after: number;
}

export interface MemorySizes {
  /** An hour of ten busy agents has 36,000. */
  events: number;
  eventsPerSecond: number;
}

const pages = ["overview", "activity of the loop", "transcript that is followed"] as const;

/** What pages hold after much has happened before them: to a loop, and as many lines of an agent. */
export async function measureMemory(
  browser: Browser,
  url: string,
  { database, run, events, eventsPerSecond }: MemorySizes & { database: Database; run: SpokenRun },
): Promise<PageMemory[]> {
  const [{ id: loop }] = z
    .tuple([z.object({ id: z.string() })])
    .parse((await database.query("select id from loops limit 1")).rows);
  const opened = await Promise.all(
    ["/", `/loops/${loop}?tab=activity`, `/runs/${run.id}`].map((path) => open(browser, url + path)),
  );
  const transcript = opened[2];
  let said = 0;
  const happen = async (count: number): Promise<number[]> => {
    const seconds = count / eventsPerSecond;
    await Promise.all([writeEvents(database, eventsPerSecond, seconds), speak(seconds)]);
    if (transcript) await showsLines(transcript, said);
    return Promise.all(opened.map((page) => heapOf(page)));
  };
  const speak = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      run.say(eventsPerSecond);
      said += eventsPerSecond;
      await delay(1_000);
    }
  };
  const before = await happen(events / 4);
  const after = await happen((3 * events) / 4);
  await Promise.all(opened.map((page) => page.context().close()));
  return pages.map((page, index) => ({
    page,
    before: before[index] ?? Number.NaN,
    after: after[index] ?? Number.NaN,
  }));
}

async function open(browser: Browser, url: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(url);
  await page.locator("main h1").waitFor();
  await page.locator("[data-connection=live]").first().waitFor();
  return page;
}

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

/** The transcript keeps what it was told, and nothing else may grow. */
export function growthOf(memory: readonly PageMemory[], page: PageMemory["page"]): number {
  const found = memory.find((each) => each.page === page);
  return found ? found.after / found.before : Number.NaN;
}

/** Of what a followed transcript has kept, in bytes. */
export function bytesALine(memory: readonly PageMemory[], events: number): number {
  const found = memory.find(({ page }) => page === "transcript that is followed");
  return found ? (found.after - found.before) / ((3 * events) / 4) : Number.NaN;
}

export function memoryTable(memory: readonly PageMemory[], events: number): string {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
  return [
    `### What a page holds after ${events.toLocaleString("en")} events`,
    "",
    "| page | MB after a quarter | MB after all |",
    "|---|---:|---:|",
    ...memory.map(({ page, before, after }) => `| ${page} | ${megabytes(before)} | ${megabytes(after)} |`),
    "",
  ].join("\n");
}
