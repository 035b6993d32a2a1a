import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { leanExec } from "../exec/lean.ts";
import { restoreCertificates } from "../plugin/certificates.ts";

/*
 * What the plugin starts for `docker sandbox exec`: as little as possible. Whatever is not the usual case goes to
 * the full program beside it, in this same process.
 */
const [, script = "", plugin, verb, ...words] = process.argv;

async function main(): Promise<void> {
  restoreCertificates(process.env);
  const status = plugin === "sandbox" && verb === "exec" ? await leanExec(words, process.env) : undefined;
  if (status !== undefined) process.exit(status);
  await import(pathToFileURL(join(dirname(script), "docker-sandbox.js")).href);
}

main().catch((error: unknown) => {
  process.stderr.write(`docker sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(125);
});
