import { commandPath } from "../packages/command-path.mjs";
import { installMissing } from "../packages/install.mjs";

/** Browsers that can be driven, under the names that distributions and Google give them. */
const COMMANDS = ["chromium", "google-chrome-stable", "google-chrome"];

/** What is installed where there is none. @type {readonly import("../packages/install.mjs").Need[]} */
const NEEDS = [{ command: "chromium", packages: ["chromium"] }];

/** What a browser needs here: nothing where one is. */
export function browserNeeds() {
  return process.env.OPENTIGER_BROWSER || installed() ? [] : NEEDS;
}

/**
 * The program of a browser that tests and screenshots drive: the one that OPENTIGER_BROWSER names, one that is
 * installed, or Debian's, which is installed now. Throws `Unavailable` where none can be had.
 *
 * @param {(line: string) => void} onLine
 * @returns {Promise<string>}
 */
export async function ensureBrowser(onLine) {
  const named = process.env.OPENTIGER_BROWSER;
  if (named) return named;
  await installMissing(browserNeeds(), onLine);
  const browser = installed();
  if (!browser) throw new Error("chromium was installed, and is not there");
  onLine(browser);
  return browser;
}

function installed() {
  return COMMANDS.map(commandPath).find((path) => path !== undefined);
}
