import { randomUUID } from "node:crypto";
import type { Execution, Sandbox, Terminal, TerminalOptions } from "../sandbox.ts";
import type { Session } from "./session.ts";

/** What a backend knows of a sandbox beside its session. */
export type SandboxFacts = Pick<
  Sandbox,
  "name" | "id" | "agent" | "backend" | "workspaceKind" | "workspaces" | "weakness"
>;

/** How a backend opens a terminal: the one thing that does not travel over the session. */
export type OpenTerminal = (command: readonly string[], options: TerminalOptions) => Promise<Terminal>;

/** A sandbox whose supervisor is reached over this session. Every backend with a supervisor gives out this one. */
export function sandboxOverSession(
  facts: SandboxFacts,
  session: Session,
  openTerminal: OpenTerminal,
): Sandbox {
  return {
    ...facts,
    attachable: true,
    exec: async (command, { signal, id = randomUUID(), ...options } = {}) => {
      signal?.throwIfAborted();
      const execution = await session.exec({ ...options, id, command: [...command] });
      if (signal) killOnAbort(execution, signal);
      return execution;
    },
    attach: (id, from = {}) => session.attach({ ...from, attach: id }),
    kill: (id, signal = "SIGKILL") => session.signal({ id, signal }),
    terminal: openTerminal,
    execs: () => session.execs(),
    stats: () => session.stats(),
    close: () => session.close(),
  };
}

export function killOnAbort(execution: Execution, signal: AbortSignal): void {
  const kill = (): void => void execution.kill("SIGKILL").catch(() => {});
  const forget = (): void => signal.removeEventListener("abort", kill);
  if (signal.aborted) kill();
  signal.addEventListener("abort", kill, { once: true });
  execution.exit.then(forget, forget);
}
