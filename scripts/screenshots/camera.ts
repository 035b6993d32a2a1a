import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { QUIET_BROWSER } from "../browser/flags.mjs";

const schemes = ["light", "dark"] as const;
const sizes = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
} as const;

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
  async take(name: string, path: string): Promise<string[]> {
    const complaints: string[] = [];
    for (const scheme of schemes)
      for (const [size, viewport] of Object.entries(sizes)) {
        const context = await this.#browser.newContext({
          viewport,
          colorScheme: scheme,
          reducedMotion: "reduce",
          ...(this.#logins ? { storageState: this.#logins } : {}),
        });
        const page = await context.newPage();
        page.on("console", (line) => {
          if (line.type() === "error") complaints.push(`${path}: ${line.text()}`);
        });
        await page.goto(`${this.#url}${path}`);
        await settle(page);
        await page.screenshot({ path: this.#file(`${name}-${scheme}-${size}.png`) });
        await context.close();
      }
    return complaints;
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

async function settle(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor({ timeout: settledMs });
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached", timeout: settledMs });
  const terminal = page.locator(".xterm-rows");
  if ((await terminal.count()) > 0) await terminal.getByText("$").first().waitFor({ timeout: settledMs });
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}
