import { at, type Environment } from "../../api/sandboxes.ts";

export type TerminalState =
  | { kind: "connecting" }
  | { kind: "open" }
  /** Tried again by itself. */
  | { kind: "lost" }
  | { kind: "ended"; code: number | null }
  /** By the user. */
  | { kind: "closed" }
  | { kind: "failed"; message: string };

export interface TerminalEvents {
  onState(state: TerminalState): void;
  onBytes(bytes: Uint8Array): void;
  /** What was on the screen before, or came while nobody looked. */
  onHistory(bytes: Uint8Array): void;
  /** The shell that there was is gone. */
  onNewShell(): void;
  size(): { columns: number; rows: number };
}

/** After each attempt that came to nothing; the last one for all that follow. */
const pausesMs = [500, 1_000, 2_000, 5_000, 10_000];

/**
 * The WebSocket of a terminal. Where it is lost it is opened again, and leads to the same shell for as long as the server
 * keeps that; so it does after the page was left or loaded again. Whoever made it leaves it.
 */
export class TerminalConnection {
  readonly #url: string;
  readonly #remembered: string;
  readonly #events: TerminalEvents;
  #socket: WebSocket | undefined;
  #timer: number | undefined;
  #tries = 0;
  #left = false;
  /** How much of the output is here, and how much of what comes was there before. */
  #offset = 0;
  #until = 0;

  constructor(name: string, environment: Environment, events: TerminalEvents) {
    this.#url = `${location.origin.replace(/^http/, "ws")}${at(name, "terminal")}?environment=${environment}`;
    this.#remembered = `terminal ${environment} ${name}`;
    this.#events = events;
  }

  open(): void {
    clearTimeout(this.#timer);
    const { columns, rows } = this.#events.size();
    const id = sessionStorage.getItem(this.#remembered);
    const again = id === null ? "" : `&id=${id}&from=${this.#offset}`;
    const socket = new WebSocket(`${this.#url}&columns=${columns}&rows=${rows}${again}`);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    let over: TerminalState | undefined;
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.#socket) return;
      if (data instanceof ArrayBuffer) return this.#take(new Uint8Array(data));
      const said = readSaid(String(data));
      if (said.type === "opened") this.#opened(said, id !== null);
      if (said.type === "skipped") this.#offset = said.offset;
      if (said.type === "exit") over = { kind: "ended", code: said.code };
      if (said.type === "error") over = { kind: "failed", message: said.message };
    });
    socket.addEventListener("close", () => {
      if (socket !== this.#socket || this.#left) return;
      if (over?.kind === "ended") this.#forget();
      this.#events.onState(over ?? { kind: "lost" });
      if (!over) this.#again();
    });
  }

  write(keys: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(keys);
  }

  resize(): void {
    this.#tell({ type: "resize", ...this.#events.size() });
  }

  /** Ends the shell. */
  end(): void {
    this.#tell({ type: "close" });
    this.#forget();
    this.leave();
    this.#left = false;
    this.#events.onState({ kind: "closed" });
  }

  /** The shell waits for a while. */
  leave(): void {
    this.#left = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
    this.#socket = undefined;
  }

  #opened({ id, resumed, offset, until }: Opened, wasThere: boolean): void {
    this.#tries = 0;
    sessionStorage.setItem(this.#remembered, id);
    this.#offset = offset;
    this.#until = until;
    if (wasThere && !resumed) this.#events.onNewShell();
    this.#events.onState({ kind: "open" });
    this.resize();
  }

  #take(bytes: Uint8Array): void {
    const isHistory = this.#offset < this.#until;
    this.#offset += bytes.length;
    if (isHistory) this.#events.onHistory(bytes);
    else this.#events.onBytes(bytes);
  }

  #tell(message: unknown): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #forget(): void {
    sessionStorage.removeItem(this.#remembered);
    this.#offset = 0;
  }

  #again(): void {
    const pause = pausesMs[Math.min(this.#tries, pausesMs.length - 1)] ?? 0;
    this.#tries += 1;
    this.#timer = window.setTimeout(() => this.open(), pause);
  }
}

interface Opened {
  type: "opened";
  id: string;
  resumed: boolean;
  offset: number;
  until: number;
}

/** What the server says beside the bytes; docs/api.md has it. */
type Said =
  | Opened
  | { type: "skipped"; offset: number }
  | { type: "exit"; code: number | null }
  | { type: "error"; message: string };

/** It comes from our own server, in the version of this page. */
function readSaid(text: string): Said {
  return JSON.parse(text) as Said;
}
