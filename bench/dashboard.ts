import { gzipSync } from "node:zlib";
import { openDatabase } from "@opentiger/orchestrator";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { z } from "zod";
import { QUIET_BROWSER } from "../scripts/browser/flags.mjs";
import { fillQueue } from "./claims.ts";
import { type Series, summarise } from "./measure.ts";
import { type MemorySizes, measureMemory, memoryTable, type PageMemory } from "./page-memory.ts";
import { serverPlace } from "./server-place.ts";
import { timesTable } from "./table.ts";
import { addSpokenRun, measureTranscript, type TranscriptFigures, transcriptText } from "./transcript.ts";

export interface DashboardSizes extends MemorySizes {
  visits: number;
  /** Of a long transcript. */
  lines: number;
}

export interface DashboardFigures {
  visits: readonly Series[];
  /** Of scripts, compressed, on the first visit. */
  scriptBytes: number;
  transcript: TranscriptFigures;
  events: number;
  memory: readonly PageMemory[];
}

const names = {
  first: "first visit, nothing cached",
  again: "again, scripts cached",
  text: "an answer without a script",
} as const;

/** How soon the dashboard can be used, and what it holds after much has happened. undefined: there is no browser. */
export async function measureDashboard(sizes: DashboardSizes): Promise<DashboardFigures | undefined> {
  const executablePath = process.env["OPENTIGER_BROWSER"];
  if (!executablePath) return undefined;
  const place = serverPlace({ processes: [] });
  const browser = await chromium.launch({ executablePath, args: QUIET_BROWSER });
  try {
    const database = await openDatabase({ env: place.env, program: "bench" });
    await fillQueue(database, 200);
    const url = await place.up();
    const { visits, scriptBytes } = await measureVisits(browser, url, sizes.visits);
    const folder = place.env["OPENTIGER_HOME"] ?? "";
    const long = await addSpokenRun(database, folder, { task: 1, status: "succeeded" });
    const transcript = await measureTranscript(browser, url, { run: long, lines: sizes.lines });
    const run = await addSpokenRun(database, folder, { task: 2, status: "running" });
    const { events, eventsPerSecond } = sizes;
    const memory = await measureMemory(browser, url, { database, run, events, eventsPerSecond });
    await database.close();
    return { visits, scriptBytes, transcript, events, memory };
  } finally {
    await browser.close();
    await place.remove();
  }
}

async function measureVisits(browser: Browser, url: string, rounds: number) {
  const times: Record<keyof typeof names, number[]> = { first: [], again: [], text: [] };
  let scriptBytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext();
    times.first.push(await visit(context, url));
    scriptBytes = await scriptBytesOf(context);
    times.again.push(await visit(context, url));
    const page = await context.newPage();
    await page.goto(`${url}/health`);
    times.text.push(
      Number(await page.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart")),
    );
    await context.close();
  }
  const ways = ["first", "again", "text"] as const;
  return { visits: ways.map((way) => summarise(names[way], times[way])), scriptBytes };
}

/** From the beginning of the navigation until the page has its data, is drawn and listens. */
async function visit(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage();
  await page.goto(url, { waitUntil: "commit" });
  return usable(page);
}

/** By the page's own clock, which begins with the navigation. */
async function usable(page: Page): Promise<number> {
  await page.locator("main h1").waitFor();
  await page.locator("[data-connection=live]").first().waitFor();
  await page.locator("main [aria-busy=true]").first().waitFor({ state: "detached" });
  return Number(await page.evaluate("performance.now()"));
}

/** As a server that compresses would send them; on loopback it is not worth its time. */
async function scriptBytesOf(context: BrowserContext): Promise<number> {
  const loaded = await context
    .pages()[0]
    ?.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)");
  const scripts = z
    .array(z.string())
    .parse(loaded)
    .filter((name) => name.endsWith(".js"));
  const sizes = scripts.map(async (name) => {
    const answer = await fetch(name);
    return gzipSync(Buffer.from(await answer.arrayBuffer())).length;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export function interactiveSeconds({ visits }: DashboardFigures): number {
  return (visits.find(({ name }) => name === names.first)?.p50 ?? Number.NaN) / 1000;
}

export function dashboardTable(figures: DashboardFigures | undefined): string {
  if (!figures) return "### The dashboard\n\nNot measured: there is no browser.\n";
  const { visits, scriptBytes, transcript, events, memory } = figures;
  return [
    timesTable("The dashboard, from the navigation until it can be used", visits, names.text),
    `The first visit loads ${(scriptBytes / 1000).toFixed(0)} kB of script, compressed. ${transcriptText(transcript)}`,
    memoryTable(memory, events),
  ].join("\n");
}
