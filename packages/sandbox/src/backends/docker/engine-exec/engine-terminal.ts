import { randomUUID } from "node:crypto";
import type { SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import type { Terminal, TerminalOptions } from "../../../sandbox.ts";
import { enterAndRun, terminalExit } from "../terminal.ts";
import { killMarked, markerVariable } from "./marked-processes.ts";

/** A terminal without a supervisor: the engine's own, as the agent's user. */
export async function openEngineTerminal(
  container: Docker.Container,
  record: SandboxRecord,
  command: readonly string[],
  options: TerminalOptions,
): Promise<Terminal> {
  const id = randomUUID();
  const user = options.user ?? `${record.user.uid}:${record.user.gid}`;
  const env = {
    TERM: "xterm-256color",
    HOME: record.user.home,
    ...record.env,
    ...options.env,
    [markerVariable]: id,
  };
  const cwd = options.cwd ?? record.workspaces[0]?.path ?? "/";
  const size = [String(options.columns), String(options.rows)];
  const exec = await container.exec({
    Cmd: ["/bin/sh", "-c", enterAndRun, "sh", ...size, cwd, ...command],
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    User: user,
    Tty: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({ hijack: true, stdin: true, Tty: true });
  await exec.resize({ w: options.columns, h: options.rows }).catch(() => {});
  return {
    id,
    stream,
    resize: async (columns, rows) => void (await exec.resize({ w: columns, h: rows })),
    exit: terminalExit(exec, stream),
    kill: (signal = "SIGTERM") => killMarked(container, user, id, signal),
  };
}
