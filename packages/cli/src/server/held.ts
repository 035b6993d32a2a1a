import { createReadStream } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { logSize, startTimeOf } from "@opentiger/orchestrator";
import { ServerClient, type ServerStatus } from "@opentiger/server/control";
import { z } from "zod";
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
  for (let from = logSize(log); ; ) {
    const runs = startTimeOf(pid) === started;
    const size = logSize(log);
    // It was emptied where it is, because it had become long.
    if (size < from) from = 0;
    for (const line of await linesBetween(log, from, size)) stdout.write(json ? `${line}\n` : shown(line));
    from = size;
    if (!runs || signal.aborted) return runs;
    await sleep(lookMs, undefined, { signal }).catch(() => {});
  }
}

async function linesBetween(path: string, start: number, end: number): Promise<string[]> {
  if (end <= start) return [];
  let text = "";
  // Node types the chunks of a stream with an encoding as any; they are strings.
  const chunks = createReadStream(path, { start, end: end - 1, encoding: "utf8" }) as AsyncIterable<string>;
  for await (const chunk of chunks) text += chunk;
  return text.split("\n").filter((line) => line !== "");
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
