import type { Sandbox, Terminal } from "@opentiger/sandbox";
import { heldProgram } from "./held-program.ts";
import type { Program, ProgramOptions } from "./program.ts";

/** Starts it so that it can be found again, where the sandbox can do that. */
export async function startProgram(sandbox: Sandbox, options: ProgramOptions): Promise<Program> {
  const held = await heldProgram(sandbox, options);
  if (held) return held;
  const { command, columns, rows } = options;
  return overEngine(
    await sandbox.terminal(["sh", "-c", command], { columns, rows, env: { TERM: "xterm-256color" } }),
  );
}

/** A terminal that the engine made: it is there for as long as this connection is. */
function overEngine(terminal: Terminal): Program {
  const { stream, exit } = terminal;
  stream.on("error", () => {});
  return {
    async *output() {
      let offset = 0;
      for await (const data of stream as AsyncIterable<Buffer>) {
        yield { offset, data };
        offset += data.length;
      }
    },
    input: stream,
    exit,
    resize: (columns, rows) => terminal.resize(columns, rows),
    kill: (signal) => terminal.kill(signal),
    tty: undefined,
  };
}
