import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, statSync } from "node:fs";
import { bundledProgram } from "../setup/bundled-program.ts";
import { oftenMs, until } from "../setup/until.ts";

const script = await bundledProgram(new URL("./counting-client.ts", import.meta.url));

export interface Count {
  backend: "docker" | "host";
  sandbox: string;
  id: string;
  file: string;
  last: number;
  env: NodeJS.ProcessEnv;
}

/**
 * Lets one client after the other follow the exec and kills each with SIGKILL when the file has grown by a random
 * amount, so that every kill falls into the middle of the output. The one after the last kill reads to the end;
 * what it exits with is the exec's own exit code.
 */
export async function followThroughKills(count: Count, kills: number): Promise<number | null> {
  closeSync(openSync(count.file, "w"));
  const all = digitsUpTo(count.last);
  for (let done = 0; done < kills; done += 1) {
    // Half of its share on average: what a client reads before the kill arrives comes on top.
    const step = (all - sizeOf(count.file)) / (kills - done + 1);
    const enough = sizeOf(count.file) + Math.max(1, Math.floor(Math.random() * step));
    const client = start(count);
    await until(
      "the client has read its share",
      () => hasEnded(client) || sizeOf(count.file) >= enough,
      60_000,
      oftenMs,
    );
    if (hasEnded(client))
      throw new Error(`a client ended by itself with ${client.exitCode} before it was killed`);
    client.kill("SIGKILL");
    await once(client, "exit");
  }
  const client = start(count);
  const [code] = (await once(client, "exit")) as [number | null];
  return code;
}

/** How many bytes the numbers from 1 to the last take, a line each. */
function digitsUpTo(last: number): number {
  let bytes = 0;
  for (let number = 1; number <= last; number += 1) bytes += String(number).length + 1;
  return bytes;
}

function start({ backend, sandbox, id, file, last, env }: Count): ChildProcess {
  const args = [script, backend, sandbox, id, file, String(last)];
  return spawn(process.execPath, args, { env, stdio: ["ignore", "inherit", "inherit"] });
}

function hasEnded(client: ChildProcess): boolean {
  return client.exitCode !== null || client.signalCode !== null;
}

function sizeOf(file: string): number {
  return statSync(file).size;
}
