import { at, type Environment } from "../../api/sandboxes.ts";

export type TerminalState =
  | { kind: "connecting" }
  | { kind: "open" }
  /** Tried again by itself. */
  | { kind: "lost" }
  | { kind: "ended"; code: number | null }
  | { kind: "failed"; message: string };

export interface TerminalEvents {
  onState(state: TerminalState): void;
  onBytes(bytes: Uint8Array): void;
  size(): { columns: number; rows: number };
}

/** After each attempt that came to nothing; the last one for all that follow. */
const pausesMs = [500, 1_000, 2_000, 5_000, 10_000];

/**
 * The WebSocket of a terminal. Where it is lost it is opened again, with a new shell: the server hangs up on a
 * connection that has ended. Whoever made it closes it.
 */
export class TerminalConnection {
  readonly #url: string;
  readonly #events: TerminalEvents;
  #socket: WebSocket | undefined;
  #timer: number | undefined;
  #tries = 0;
  #closed = false;

  constructor(name: string, environment: Environment, events: TerminalEvents) {
    this.#url = `${location.origin.replace(/^http/, "ws")}${at(name, "terminal")}?environment=${environment}`;
    this.#events = events;
  }

  open(): void {
    clearTimeout(this.#timer);
    const { columns, rows } = this.#events.size();
    const socket = new WebSocket(`${this.#url}&columns=${columns}&rows=${rows}`);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    let over: TerminalState | undefined;
    socket.addEventListener("open", () => {
      this.#tries = 0;
      this.#say(socket, { kind: "open" });
      this.resize();
    });
    socket.addEventListener("message", ({ data }) => {
      if (data instanceof ArrayBuffer) this.#events.onBytes(new Uint8Array(data));
      else over = readEnd(String(data)) ?? over;
    });
    socket.addEventListener("close", () => {
      this.#say(socket, over ?? { kind: "lost" });
      if (!over && socket === this.#socket && !this.#closed) this.#again();
    });
  }

  write(keys: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(keys);
  }

  resize(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify({ type: "resize", ...this.#events.size() }));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #again(): void {
    const pause = pausesMs[Math.min(this.#tries, pausesMs.length - 1)] ?? 0;
    this.#tries += 1;
    this.#timer = window.setTimeout(() => this.open(), pause);
  }

  #say(socket: WebSocket, state: TerminalState): void {
    if (socket === this.#socket && !this.#closed) this.#events.onState(state);
  }
}

/** What the server says before it closes. */
function readEnd(text: string): TerminalState | undefined {
  const said: unknown = JSON.parse(text);
  if (typeof said !== "object" || said === null) return undefined;
  const [type, code, message] = ["type", "code", "message"].map((name): unknown => Reflect.get(said, name));
  if (type === "exit") return { kind: "ended", code: typeof code === "number" ? code : null };
  if (type === "error") return { kind: "failed", message: String(message) };
  return undefined;
}
