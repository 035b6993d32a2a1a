import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExecExit } from "@opentiger/schema";

/** Output of a terminal, with the place of its first byte among all that came. */
export interface Piece {
  offset: number;
  data: Buffer;
}

/** What runs on a terminal, however that was made. */
export interface Program {
  /** In order, once. Not reading holds the program back. */
  output(): AsyncIterable<Piece>;
  readonly input: Writable;
  /** Rejects where the connection to it is lost first: then it may still run. */
  readonly exit: Promise<ExecExit>;
  resize(columns: number, rows: number): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Its terminal's name inside, where it can be found again by another server; otherwise undefined. */
  readonly tty: string | undefined;
}

export interface ProgramOptions {
  id: string;
  command: string;
  columns: number;
  rows: number;
}

/** After a hang-up a shell writes its history. */
const hangUpMs = 2_000;

/** As closing a window does; what does not take the hint is ended all the same, and whatever it started with it. */
export async function endProgram(program: Program): Promise<void> {
  await program.kill("SIGHUP");
  await Promise.race([program.exit.catch(() => {}), sleep(hangUpMs, undefined, { ref: false })]);
  await program.kill("SIGKILL");
}
