import { exitCode, type Sandbox } from "@opentiger/sandbox";
import { endProgram, type Piece, type Program } from "./program.ts";

/** A few screens full of colour: what whoever comes back is shown first. */
const keptBytes = 256 * 1024;

/** What comes letter by letter is kept in pieces of this size. */
const pieceBytes = 4 * 1024;

/** Whoever looks at a shell at present. */
export interface Viewer {
  /** Resolves when it is on its way, so that a slow viewer holds the program back. */
  show(piece: Piece): Promise<void>;
  /** null: nobody knows how. */
  ended(code: number | null): void;
  /** Another one looks at it from now on. */
  replaced(): void;
}

/**
 * A program on a terminal, with the end of what it has written. It has one viewer or none, and goes on without one.
 * Ends when somebody ends it, or it itself, or the connection to it.
 */
export class Shell {
  readonly id: string;
  /** Resolves when there is nothing more to come. */
  readonly over: Promise<void>;
  readonly #program: Program;
  readonly #sandbox: Sandbox;
  #kept: Piece[] = [];
  #bytes = 0;
  #viewer: Viewer | undefined;
  #exit: { code: number | null } | undefined;
  #isBeingEnded = false;
  #sizing: Promise<void> | undefined;
  #wanted: { columns: number; rows: number } | undefined;
  #sizesAsked = 0;

  constructor(id: string, sandbox: Sandbox, program: Program) {
    this.id = id;
    this.#sandbox = sandbox;
    this.#program = program;
    this.over = this.#read();
  }

  get sandboxName(): string {
    return this.#sandbox.name;
  }

  get isWatched(): boolean {
    return this.#viewer !== undefined;
  }

  /** Whether another server finds it when this one is gone. */
  get isHeld(): boolean {
    return this.#program.tty !== undefined;
  }

  /** Whether the connection to it was lost before its end was known: it may still be there. */
  get isLost(): boolean {
    return this.#exit?.code === null;
  }

  get hasEnded(): boolean {
    return this.#exit !== undefined && !this.isLost;
  }

  /** From now on it is this viewer's alone. Answers what is to be shown first: all from there on that is still known. */
  attach(viewer: Viewer, from = 0): Piece {
    this.#viewer?.replaced();
    this.#viewer = viewer;
    const newer = this.#kept.filter(({ offset, data }) => offset + data.length > from);
    const [first] = newer;
    const offset = Math.max(from, first?.offset ?? 0);
    const data = Buffer.concat(newer.map((piece) => piece.data));
    return { offset, data: data.subarray(first ? offset - first.offset : 0) };
  }

  /** Says how it ended, once the viewer has been shown everything. */
  sayEnd(viewer: Viewer): void {
    if (this.#exit && this.#viewer === viewer) viewer.ended(this.#exit.code);
  }

  detach(viewer: Viewer): void {
    if (this.#viewer === viewer) this.#viewer = undefined;
  }

  /** false: nothing more is taken until `onDrain` was called. */
  type(keys: Buffer, onDrain: () => void): boolean {
    const { input } = this.#program;
    if (input.destroyed || input.write(keys)) return true;
    input.once("drain", onDrain);
    return false;
  }

  /** While one is on its way only the last of those that follow counts. */
  async resize(columns: number, rows: number): Promise<void> {
    this.#wanted = { columns, rows };
    this.#sizesAsked++;
    this.#sizing ??= this.#size();
    await this.#sizing;
  }

  /** Programs draw themselves anew when their size changes. One that was asked for meanwhile changes it too, and stays. */
  async repaint(columns: number, rows: number): Promise<void> {
    const changing = this.resize(columns, Math.max(1, rows - 1));
    const asked = this.#sizesAsked;
    await changing;
    if (this.#sizesAsked === asked) await this.resize(columns, rows);
  }

  /** Lets go of it: held ones go on. */
  async leave(): Promise<void> {
    if (this.isHeld) await this.#sandbox.close();
    else await this.end();
  }

  /** With whatever it started, whether that has left the terminal or not. */
  async end(): Promise<void> {
    this.#isBeingEnded = true;
    await endProgram(this.#program).catch(() => {});
    await this.#sandbox.close();
    await this.over;
  }

  async #read(): Promise<void> {
    try {
      for await (const piece of this.#program.output()) {
        this.#keep(piece);
        await this.#viewer?.show(piece);
      }
      this.#exit = { code: exitCode(await this.#program.exit) };
    } catch {
      this.#exit = { code: null };
    }
    this.#viewer?.ended(this.#exit.code);
    if (!this.#isBeingEnded) await this.#sandbox.close();
  }

  #keep({ offset, data }: Piece): void {
    const last = this.#kept.at(-1);
    this.#bytes += data.length;
    if (last && last.data.length + data.length <= pieceBytes) last.data = Buffer.concat([last.data, data]);
    else this.#kept.push({ offset, data });
    while (this.#bytes > keptBytes && this.#kept.length > 1)
      this.#bytes -= this.#kept.shift()?.data.length ?? 0;
  }

  async #size(): Promise<void> {
    for (let next = this.#wanted; next; next = this.#wanted) {
      this.#wanted = undefined;
      // One that has ended has no size.
      await this.#program.resize(next.columns, next.rows).catch(() => {});
    }
    this.#sizing = undefined;
  }
}
