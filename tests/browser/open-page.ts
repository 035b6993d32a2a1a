import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from "playwright-core";
import { z } from "zod";
import { QUIET_BROWSER } from "../../scripts/browser/flags.mjs";
import { atEnd } from "../setup/at-end.ts";

/** The browser cuts its connections when the machine gets an interface, as it does with every container on a bridge. */
const networkChanged = "net::ERR_NETWORK_CHANGED";

/** What a page must not do, as far as it was seen to. */
export interface Watched {
  page: Page;
  /** Errors that it wrote or threw. */
  complaints: string[];
  /** What it asked for beyond the server's own address. */
  foreign: string[];
}

let browser: Promise<Browser> | undefined;

/** A page of its own, whose errors and requests are remembered. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await (await launched()).newContext({ viewport: { width: 1360, height: 860 }, ...options });
  const page = await context.newPage();
  const watched: Watched = { page, complaints: [], foreign: [] };
  page.on("console", (line) => {
    if (line.type() === "error" && !line.text().includes(networkChanged))
      watched.complaints.push(line.text());
  });
  page.on("pageerror", (error) => watched.complaints.push(String(error)));
  page.on("request", (request) => {
    const asked = new URL(request.url());
    const own = ["data:", "blob:"].includes(asked.protocol) || asked.hostname === "127.0.0.1";
    if (!own) watched.foreign.push(request.url());
  });
  await load(page, url);
  return watched;
}

/** A page whose script was cut is empty until somebody loads it again, as a person would. */
export async function load(page: Page, url: string): Promise<void> {
  let isCut = false;
  const look = (request: Request): void => {
    isCut ||= request.failure()?.errorText === networkChanged && request.resourceType() === "script";
  };
  page.on("requestfailed", look);
  await page.goto(url).catch((error: unknown) => {
    if (!String(error).includes(networkChanged)) throw error;
    isCut = true;
  });
  page.off("requestfailed", look);
  if (isCut) await load(page, url);
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const violations = z.array(
  z.object({
    id: z.string(),
    impact: z.string().nullish(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
  }),
);

/** What axe finds on the page once it stands still, and calls serious or critical. */
export async function seriousOf(page: Page): Promise<string[]> {
  await standsStill(page);
  await page.evaluate(axeSource);
  const found = violations.parse(await page.evaluate("axe.run().then(({ violations }) => violations)"));
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** Nothing is being read, and nothing half shown, which has paler colours. What turns for ever is not waited for. */
export async function standsStill(page: Page): Promise<void> {
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter((each) => Number.isFinite(each.effect.getComputedTiming().endTime))
      .map((each) => each.finished),
  )`);
}

function launched(): Promise<Browser> {
  if (!browser) {
    const executablePath = process.env["OPENTIGER_BROWSER"] || "/usr/bin/chromium";
    browser = chromium.launch({ executablePath, args: QUIET_BROWSER });
    const open = browser;
    // Files that follow in this process have one of their own.
    atEnd(async () => {
      browser = undefined;
      await (await open).close();
    });
  }
  return browser;
}
