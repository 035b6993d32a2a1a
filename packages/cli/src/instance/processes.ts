import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { ProcessClient, processStatus } from "@opentiger/orchestrator";
import { SandboxError, socketFolder, startTimeOf, stateFolder } from "@opentiger/sandbox";
import { Sandboxd } from "@opentiger/sandboxd";
import { z } from "zod";

/** A process of this instance that is nobody's child: the server, the dispatcher, sandboxd, workers of the host. */
export interface InstanceProcess {
  name: string;
  pid: number;
  version: string;
  /** Returns when it is gone. */
  stop(): Promise<void>;
}

export interface InstanceSockets {
  running: InstanceProcess[];
  /** Accepts connections and says nothing. */
  silent: string[];
  /** What killed processes left. */
  stale: string[];
}

const told = z.object({ pid: z.number().int(), version: z.string() });

/** Each of them has one socket of its own name, and whoever has it is the one. */
export async function instanceSockets(env: NodeJS.ProcessEnv): Promise<InstanceSockets> {
  const sockets: InstanceSockets = { running: [], silent: [], stale: [] };
  if (!existsSync(join(stateFolder(env), "instance"))) return sockets;
  const folder = socketFolder(stateFolder(env));
  const names = readdirSync(folder).filter((name) => /^[a-z]+(?:-\d+)?\.sock(?:\.\d+)?$/.test(name));
  await Promise.all(names.map((file) => look(join(folder, file), file)));
  sockets.running.sort((one, other) => one.name.localeCompare(other.name));
  return sockets;

  async function look(path: string, file: string): Promise<void> {
    if (!(await accepts(path))) {
      // A process that is just starting has it under its number for a moment.
      const starting = /\.(\d+)$/.exec(file)?.[1];
      if (starting === undefined || startTimeOf(Number(starting)) === undefined) sockets.stale.push(path);
      return;
    }
    const name = file.replace(/\.sock.*$/, "");
    const client = new ProcessClient({ name, socket: path, log: folder, shape: processStatus });
    const status = await client.ask("GET", "/status", told).catch(() => undefined);
    if (!status) return void sockets.silent.push(path);
    const stop = async () => void (await (name === "sandboxd" ? new Sandboxd(env) : client).stop());
    sockets.running.push({ name, ...status, stop });
  }
}

/** Refuses what cannot be done while somebody writes. The remedy is what ends just those that run. */
export async function refuseRunning(env: NodeJS.ProcessEnv, what: string): Promise<void> {
  const { running, silent } = await instanceSockets(env);
  if (running.length === 0 && silent.length === 0) return;
  const names = [...running.map(({ name, pid }) => `${name} (process ${pid})`), ...silent];
  const others = running.filter(({ name }) => name !== "server" && name !== "sandboxd");
  const remedy = [
    ...(running.some(({ name }) => name !== "sandboxd") ? ["opentiger down"] : []),
    ...(running.some(({ name }) => name === "sandboxd") ? ["opentiger sandboxd stop"] : []),
  ];
  const agents = others.length > 0 ? "; agents go on, and are adopted afterwards" : "";
  throw new SandboxError("not_allowed_now", `${what} while this runs: ${names.join(", ")}`, {
    remedy: `${remedy.join(" && ") || `end whoever holds ${silent[0]}`}${agents}`,
  });
}

/** So long a process that lives takes at most to accept. */
const acceptMs = 2_000;

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.setTimeout(acceptMs, () => settle(true));
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}
