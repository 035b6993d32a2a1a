import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import type { ExecExit, SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { SandboxError } from "../../errors.ts";
import { supervisorConfigVariable } from "../../protocol/paths.ts";
import type { Terminal, TerminalOptions } from "../../sandbox.ts";
import type { Session } from "../../session/session.ts";
import type { Engine } from "./engine/engine.ts";

interface Place {
  session: Session;
  engine: Engine;
  record: SandboxRecord;
}

/**
 * A command on a terminal. The engine makes the terminal and carries its bytes; the command is put under the agent's
 * uid and a marker group first, as the supervisor says, so that it can be signalled like any other exec.
 */
export async function openTerminal(
  { session, engine, record }: Place,
  command: readonly string[],
  options: TerminalOptions,
): Promise<Terminal> {
  if (record.containerId === null)
    throw new SandboxError("sandbox_broken", `${record.name} has no container`);
  const id = randomUUID();
  const { prefix, env } = await session.reserveTerminal({
    id,
    ...(options.user ? { user: options.user } : {}),
  });
  const cwd = options.cwd ?? record.workspaces[0]?.path ?? "/";
  const size = [String(options.columns), String(options.rows)];
  const exec = await engine.docker.getContainer(record.containerId).exec({
    Cmd: [...preparation(record), ...prefix, "/bin/sh", "-c", takeAndRun, "sh", ...size, cwd, ...command],
    // A name without a value takes the variable away.
    Env: [
      `${handedOver}=${asExports({ TERM: "xterm-256color", ...env, ...options.env })}`,
      supervisorConfigVariable,
    ],
    User: "0:0",
    WorkingDir: "/",
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
    kill: (signal = "SIGTERM") => session.signal({ id, signal }),
  };
}

/**
 * The terminal belongs to root, who made it, so it is opened up for the agent; and while root's right to do so is
 * there, the command is made the kernel's first choice when memory runs out. Where the agent is root, the image's
 * shell is not to be trusted with any right, and neither is needed.
 */
function preparation(record: SandboxRecord): string[] {
  if (record.isolation === "agent-root") return [];
  const script = 'chmod 0666 /proc/self/fd/0; echo 1000 > /proc/self/oom_score_adj; exec "$@"';
  return ["/bin/sh", "-c", script, "sh"];
}

/**
 * Behind the change of uid, since the folder may be closed to everybody else. The size is set here as well: the
 * engine can do it only when the command has started, which may be too late for its first look.
 */
export const enterAndRun = 'stty cols "$1" rows "$2" 2>/dev/null; cd -- "$3" || exit 126; shift 3; exec "$@"';

/**
 * What runs before the change of uid is root's: no variable of the agent's may tell it where to find its programs or
 * which library to load. So they travel as text in one variable, and come to life behind it.
 */
const handedOver = "OPENTIGER_TERMINAL";
const takeAndRun = `eval "$${handedOver}"; unset ${handedOver}; ${enterAndRun}`;

/** Left out: what is no name of a variable in a shell, and what a shell does not let be set. */
function asExports(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .filter(
      ([name]) =>
        /^[A-Za-z_]\w*$/.test(name) && !/^(?:E?UID|PPID|BASHOPTS|SHELLOPTS|BASH_VERSINFO)$/.test(name),
    )
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`)
    .join("\n");
}

export async function terminalExit(exec: Docker.Exec, stream: Duplex): Promise<ExecExit> {
  await new Promise<void>((resolve) => {
    stream.once("close", resolve);
    stream.once("end", resolve);
  });
  const { ExitCode, Running } = await exec.inspect();
  if (Running || ExitCode === null) {
    throw new SandboxError("session_lost", "the terminal's connection ended before its command did", {
      remedy: "open another terminal; the command may still be running",
    });
  }
  return { code: ExitCode, signal: null, reason: "exited" };
}
