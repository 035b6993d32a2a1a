import { randomUUID } from "node:crypto";
import type { Execution, OutputChunk, Sandbox } from "@opentiger/sandbox";
import type { Piece, Program, ProgramOptions } from "./program.ts";

/** What came while no server was there to read it; then the program waits, as it would for a stopped screen. */
const spoolBytes = 1024 * 1024;

/** A change of size is a command of its own, which is no news to anybody. */
const sizing = "terminal-size-";

/**
 * A program whose terminal is held inside the sandbox, by util-linux's `script`: an exec as any other, so whoever knows
 * its id finds it again after any loss. undefined where the sandbox cannot do that.
 */
export async function heldProgram(
  sandbox: Sandbox,
  { id, command, columns, rows }: ProgramOptions,
): Promise<Program | undefined> {
  if (!sandbox.attachable || sandbox.backend === "host") return undefined;
  // Its name last: from then on it may be given another size.
  const inside = `unset ${handedOver}; stty cols ${columns} rows ${rows} 2>/dev/null; tty; ${command}`;
  const execution = await sandbox.exec(["sh", "-c", hold], {
    id,
    stdin: true,
    spoolBytes,
    env: { TERM: "xterm-256color", [handedOver]: inside },
  });
  const output = execution.output()[Symbol.asyncIterator]();
  const first = await firstLine(output);
  if (first) return programOf(sandbox, execution, first.tty, goOn(output, first.rest));
  await execution.kill();
  return undefined;
}

/** The same again, from what nobody has acknowledged on. Rejects with `exec_not_found` where it is gone. */
export async function findProgram(sandbox: Sandbox, id: string, tty: string): Promise<Program> {
  const execution = await sandbox.attach(id);
  return programOf(sandbox, execution, tty, goOn(execution.output()[Symbol.asyncIterator]()));
}

export function isSizing(execId: string): boolean {
  return execId.startsWith(sizing);
}

/** Text in a variable needs no quoting, whichever shell hands it on. */
const handedOver = "OPENTIGER_TERMINAL";
const hold = [
  "script --version 2>/dev/null | grep -q util-linux || exit 127",
  `exec script --quiet --return --flush --echo always --command 'exec sh -c "$${handedOver}"' /dev/null`,
].join("\n");

function programOf(
  sandbox: Sandbox,
  execution: Execution,
  tty: string,
  pieces: AsyncIterable<Piece>,
): Program {
  return {
    output: () => pieces,
    input: execution.stdin,
    exit: execution.exit,
    resize: async (columns, rows) => {
      const size = ["cols", String(columns), "rows", String(rows)];
      const sized = await sandbox.exec(["stty", "-F", tty, ...size], {
        id: `${sizing}${randomUUID()}`,
        detach: true,
      });
      await sized.exit;
    },
    kill: (signal) => execution.kill(signal),
    tty,
  };
}

/** Far more than the name of a terminal. */
const maxFirstBytes = 4_096;

/** It says first which terminal it has. A command that ends before has none. */
async function firstLine(
  output: AsyncIterator<OutputChunk>,
): Promise<{ tty: string; rest: Piece } | undefined> {
  let text = Buffer.alloc(0);
  for (;;) {
    const { done, value } = await output.next();
    if (done) return undefined;
    if (value.stream === "stderr") continue;
    text = Buffer.concat([text, value.data]);
    const end = text.indexOf("\n");
    if (end === -1 && text.length < maxFirstBytes) continue;
    const [tty] = /^\/dev\/pts\/\d+/.exec(text.toString("latin1")) ?? [];
    const rest = { offset: end + 1, data: text.subarray(end + 1) };
    return tty === undefined ? undefined : { tty, rest };
  }
}

async function* goOn(output: AsyncIterator<OutputChunk>, rest?: Piece): AsyncIterable<Piece> {
  if (rest && rest.data.length > 0) yield rest;
  for (;;) {
    const { done, value } = await output.next();
    if (done) return;
    if (value.stream === "stdout") yield value;
  }
}
