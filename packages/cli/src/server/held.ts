import { setTimeout as sleep } from "node:timers/promises";
import { startTimeOf } from "@opentiger/sandbox";
import { ServerClient, type ServerStatus } from "@opentiger/server/control";
import { z } from "zod";
import { LogTail, linewise } from "../output/log-tail.ts";
import { printable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";

const lookMs = 200;

/**
 * Shows what a server says, until it has ended or the signal is aborted. Returns whether it still runs.
 */
export async function holdServer(
  { pid }: ServerStatus,
  surroundings: Surroundings,
  { json, signal }: { json: true | undefined; signal: AbortSignal },
): Promise<boolean> {
  const { env, stdout } = surroundings;
  const { log } = new ServerClient(env).paths;
  const started = startTimeOf(pid);
  const tail = new LogTail(log, "end");
  const take = linewise((line) => stdout.write(json ? `${line}\n` : shown(line)));
  for (;;) {
    const runs = startTimeOf(pid) === started;
    for await (const text of tail.read()) take(text);
    if (!runs || signal.aborted) return runs;
    await sleep(lookMs, undefined, { signal }).catch(() => {});
  }
}

const logged = z.object({ time: z.iso.datetime(), message: z.string() });

function shown(line: string): string {
  try {
    const { time, message } = logged.parse(JSON.parse(line));
    return `${time.slice(11, 19)} ${printable(message)}\n`;
  } catch {
    return `${printable(line)}\n`;
  }
}
