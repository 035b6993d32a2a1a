import type { SandboxRecord, SandboxStats } from "@opentiger/schema";
import type Docker from "dockerode";
import { SandboxError } from "../../../errors.ts";
import type { ExecOptions, Sandbox, Terminal, TerminalOptions } from "../../../sandbox.ts";
import { killOnAbort } from "../../../session/session-sandbox.ts";
import { sandboxFacts } from "../docker-sandbox.ts";
import { EngineExecution } from "./engine-execution.ts";
import { engineStats } from "./engine-stats.ts";
import { openEngineTerminal } from "./engine-terminal.ts";

/** A sandbox without a supervisor. What only a supervisor can do is refused with the reason. */
export function engineExecSandbox(record: SandboxRecord, container: Docker.Container): Sandbox {
  const running = new Map<string, EngineExecution>();

  return {
    ...sandboxFacts(record),
    attachable: false,
    async exec(command: readonly string[], options: ExecOptions = {}) {
      if (options.signal?.aborted)
        throw new SandboxError("cancelled", "cancelled before the command was started");
      const execution = await EngineExecution.start(container, record, command, options);
      running.set(execution.id, execution);
      if (options.signal) killOnAbort(execution, options.signal);
      return execution;
    },
    attach: async () => {
      throw beyondUs("an exec of this sandbox cannot be attached to again");
    },
    kill: async (id: string, signal?: NodeJS.Signals) => {
      const execution = running.get(id);
      if (!execution) throw beyondUs("an exec that another process started cannot be ended in this sandbox");
      await execution.kill(signal);
    },
    terminal: (command: readonly string[], options: TerminalOptions): Promise<Terminal> =>
      openEngineTerminal(container, record, command, options),
    /** Only those that this client started are known. */
    execs: async () => [...running.values()].map(({ info }) => info),
    stats: (): Promise<SandboxStats> => engineStats(container),
    close: async () => {
      for (const execution of running.values()) execution.detach();
    },
  };
}

function beyondUs(what: string): SandboxError {
  return new SandboxError("unsupported", `${what}: its image has no supervisor`, {
    remedy:
      "use an image with node 18 or newer and setpriv (util-linux), best one made from opentiger/worker",
  });
}
