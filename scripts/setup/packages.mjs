import { browserNeeds } from "../browser/browser.mjs";
import { foundEngine } from "../engine/found.mjs";
import { ENGINE_NEEDS, TEST_NEEDS } from "../engine/needs.mjs";
import { canInstall, installTogether } from "../packages/install.mjs";
import { TERMINAL_NEEDS } from "../suites/terminal.mjs";
import { stepBeside } from "./step.mjs";

/**
 * Begins with what the distribution has of all that later steps need: it is fetched and unpacked while npm does the same.
 * Says and does nothing where all is there, or where it cannot be installed: the steps tell why.
 *
 * @param {{engine: boolean, tests?: boolean, browser?: boolean, terminal?: boolean}} wanted
 */
export async function installPackagesBeside({ engine, tests, browser, terminal }) {
  const needs = [
    ...(engine && !(await foundEngine()) ? [...ENGINE_NEEDS, ...(tests ? TEST_NEEDS : [])] : []),
    ...(browser ? browserNeeds() : []),
    ...(engine && terminal ? TERMINAL_NEEDS : []),
  ];
  if (canInstall(needs)) await stepBeside("Debian packages", (say) => installTogether(needs, say));
}
