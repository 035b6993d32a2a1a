import { writeSync } from "node:fs";
import { boundLog, flagsOf, pinsOf } from "@opentiger/orchestrator";
import { openState, stateFolder } from "@opentiger/sandbox";
import { errorCodes } from "@opentiger/schema";
import { errorAnswer } from "./api/error-answer.ts";
import { Control } from "./control/control.ts";
import { serverPaths } from "./control/status.ts";
import { startServer } from "./server.ts";

const stdout = 1;

/** How soon it is noticed that the socket is gone: the state folder was removed, say. */
const lookEveryMs = 2_000;

/** A log does not grow by much meanwhile. */
const boundLogEveryMs = 60_000;

/** One line of JSON an event, written at once, so that the last one before an end is there. */
function log(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  const line = JSON.stringify({ time: new Date().toISOString(), pid: process.pid, ...fields, message });
  try {
    writeSync(stdout, `${line}\n`);
  } catch {
    // The disk is full, or nobody reads.
  }
}

/** The server as a process, one an instance. It may be killed at any time. */
async function main(env: NodeJS.ProcessEnv): Promise<void> {
  process.umask(0o077);
  process.on("uncaughtException", (error) => log("uncaught", { error: error.stack }));
  process.on("unhandledRejection", (error) => log("unhandled", { error: String(error) }));
  process.on("SIGHUP", () => {});
  const ending = new AbortController();
  const end = (why: string) => {
    if (ending.signal.aborted) return;
    log("the server ends", { why });
    ending.abort();
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, () => (ending.signal.aborted ? process.exit(1) : end(signal)));
  const paths = serverPaths(openState(stateFolder(env)).folder);
  const control = await Control.open(paths.socket, () => end("asked to"), {
    flags: flagsOf(env),
    pins: pinsOf(env),
  });
  if (!control) return log("another server runs already");
  try {
    const say = (sentence: string) => {
      control.say(sentence);
      log(sentence);
    };
    const server = await startServer({ env, log: (line) => log(line), say, signal: ending.signal });
    control.ready(server);
    log("ready", { url: server.url });
    setInterval(() => control.holds || end("its socket is gone"), lookEveryMs);
    setInterval(() => boundLog(paths.log), boundLogEveryMs);
    await ended(ending.signal);
    await server.close();
  } finally {
    control.close();
  }
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}

try {
  await main(process.env);
  process.exit(0);
} catch (error) {
  log("it did not start", { error: error instanceof Error ? error.stack : String(error) });
  const { code, message, remedy } = errorAnswer(error);
  log(message, { code, remedy });
  process.exit(errorCodes[code].exit);
}
