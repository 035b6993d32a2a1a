import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { inCheckout } from "../setup/checkout.mjs";

/**
 * Builds the pages that the server gives out. Vite is loaded here and not at the top, because it may have been installed
 * a moment ago.
 *
 * @returns {Promise<{file: string, bytes: number}[]>}
 */
export async function buildDashboard() {
  const root = inCheckout("packages", "dashboard");
  const { build } = await import("vite");
  await build({ root, configFile: join(root, "vite.config.ts"), logLevel: "error" });
  const folder = join(root, "dist", "assets");
  return readdirSync(folder)
    .filter((name) => !/\.(?:br|gz)$/.test(name))
    .map((name) => join(folder, name))
    .map((file) => ({ file, bytes: statSync(file).size }));
}
