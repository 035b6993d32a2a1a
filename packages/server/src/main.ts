import { writeSync } from "node:fs";
import { ServerError } from "./errors.ts";
import { startServer } from "./server.ts";

const stdout = 1;

/** One line of JSON an event, written at once, so that the last one before an end is there. */
function log(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  const line = JSON.stringify({ time: new Date().toISOString(), pid: process.pid, ...fields, message });
  try {
    writeSync(stdout, `${line}\n`);
  } catch {
    // The disk is full, or nobody reads.
  }
}

/** The server as a process. It may be killed at any time. */
async function main(): Promise<void> {
  process.umask(0o077);
  process.on("uncaughtException", (error) => log("uncaught", { error: error.stack }));
  process.on("unhandledRejection", (error) => log("unhandled", { error: String(error) }));
  process.on("SIGHUP", () => {});
  const server = await startServer({ env: process.env, log: (line) => log(line) });
  log("ready", { url: server.url });
  let stopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      log("the server ends", { why: signal });
      server.close().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
}

await main().catch((error: unknown) => {
  const known = error instanceof Error ? error : new Error(String(error));
  const remedy = "remedy" in known && typeof known.remedy === "string" ? { remedy: known.remedy } : {};
  log(`the server did not start: ${known.message}`, remedy);
  process.exit(known instanceof ServerError ? known.exitCode : 1);
});
