import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "../process/run.mjs";
import { inCheckout } from "../setup/checkout.mjs";

export const NODE24_VERSION = "24.9.0";

/**
 * The binary of Node 24, from the platform's part of npm's `node` package: `node` itself only fetches that part in an
 * install script, and newer versions of npm do not run those. Kept in the checkout's cache, where every user can run it:
 * tests are other users of this machine, too.
 *
 * @param {(line: string) => void} say
 */
export async function node24Binary(say) {
  const folder = inCheckout(".cache", "node24");
  const name = `node-${process.platform}-${process.arch}`;
  const binary = join(folder, "node_modules", name, "bin", "node");
  mkdirSync(folder, { recursive: true });
  // Whatever in it is for its owner alone has a closed folder of its own.
  chmodSync(inCheckout(".cache"), 0o755);
  if (existsSync(binary)) return binary;
  say(`  installing ${name}@${NODE24_VERSION} from npm into .cache/node24`);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  await mustRun(
    "npm",
    ["install", "--no-audit", "--no-fund", "--no-package-lock", `${name}@${NODE24_VERSION}`],
    {
      cwd: folder,
    },
  );
  return binary;
}
