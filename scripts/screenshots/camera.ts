import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { QUIET_BROWSER } from "../browser/flags.mjs";
import type { Shot } from "./pages.ts";

const schemes = ["light", "dark"] as const;
const sizes = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
} as const;

/** The browser cuts its connections when the machine gets an interface, as it does with every container on a bridge. */
const networkChanged = "net::ERR_NETWORK_CHANGED";

interface Look {
  scheme: (typeof schemes)[number];
  size: keyof typeof sizes;
}

/** Long enough for a page that reads its lists on a busy machine. */
const settledMs = 30_000;

/** Takes each page in light and dark, on a desk and on a phone. */
export class Camera {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #folder: string;
  #logins: Awaited<ReturnType<BrowserContext["storageState"]>> | undefined;

  private constructor(browser: Browser, url: string, folder: string) {
    this.#browser = browser;
    this.#url = url;
    this.#folder = folder;
  }

  static async open({ url, login, folder }: { url: string; login: string; folder: string }): Promise<Camera> {
    const executablePath = process.env["OPENTIGER_BROWSER"] ?? "";
    const camera = new Camera(await chromium.launch({ executablePath, args: QUIET_BROWSER }), url, folder);
    await camera.#logIn(login);
    return camera;
  }

  /** `name-light-desktop.png` and the other three. Returns what the pages complained about. */
  async take(name: string, shot: Shot): Promise<string[]> {
    const complaints: string[] = [];
    for (const scheme of schemes)
      for (const size of ["desktop", "phone"] as const) {
        const file = this.#file(`${name}-${scheme}-${size}.png`);
        complaints.push(...(await this.#takeOne(file, shot, { scheme, size })));
      }
    return complaints;
  }

  async #takeOne(path: string, shot: Shot, look: Look, tries = 5): Promise<string[]> {
    const complaints: string[] = [];
    const context = await this.#browser.newContext({
      viewport: sizes[look.size],
      colorScheme: look.scheme,
      reducedMotion: "reduce",
      ...(this.#logins ? { storageState: this.#logins } : {}),
    });
    const page = await context.newPage();
    page.on("console", (line) => {
      if (line.type() === "error") complaints.push(`${shot.path}: ${line.text()}`);
    });
    const isCut = () => complaints.some((complaint) => complaint.includes(networkChanged));
    try {
      await page.goto(`${this.#url}${shot.path}`);
      await settle(page, shot.says);
      await page.screenshot({ path });
    } catch (error) {
      if (!isCut() && !String(error).includes(networkChanged)) throw error;
    } finally {
      await context.close();
    }
    return isCut() && tries > 1 ? this.#takeOne(path, shot, look, tries - 1) : complaints;
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  /** The link is good once; what it left in the browser serves all pages. */
  async #logIn(link: string): Promise<void> {
    const context = await this.#browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    await page.locator("main h1").first().waitFor({ timeout: settledMs });
    this.#logins = await context.storageState();
    await context.close();
  }

  #file(name: string): string {
    const file = join(this.#folder, name);
    mkdirSync(dirname(file), { recursive: true });
    return file;
  }
}

async function settle(page: Page, says: Shot["says"]): Promise<void> {
  const main = page.locator("main");
  await main.locator("h1").first().waitFor({ timeout: settledMs });
  // On a phone it may be a column for which there is no room.
  if (says !== undefined)
    await main.getByText(says).first().waitFor({ state: "attached", timeout: settledMs });
  const unfinished = page.locator('[aria-busy="true"]').or(main.getByText("Checking", { exact: true }));
  await unfinished.first().waitFor({ state: "detached", timeout: settledMs });
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}
