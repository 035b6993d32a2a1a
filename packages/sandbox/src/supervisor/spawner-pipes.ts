import { constants, openSync } from "node:fs";
import { Socket } from "node:net";

/** Which way our end of a pipe goes. */
type Direction = "read" | "write";

/** A pipe that the spawner has made, and by which paths its two ends can be opened. */
export interface MadePipe extends Record<Direction, string> {
  number: number;
}

/** A pipe of which a command gets the other end. */
export interface NearEnd {
  number: number;
  direction: Direction;
  stream: Socket;
}

/** Two commands with output and one with input can start without waiting for their pipes. */
const ahead: Record<Direction, number> = { read: 4, write: 1 };

/**
 * Pipes made ahead of need, as a shell makes them: stdin, stdout and stderr can all be opened by name. Node cannot make
 * or be given one, so the spawner makes them and we open our end by way of /proc, where only its own uid can look.
 */
export class PipeStock {
  readonly #make: () => Promise<MadePipe>;
  readonly #stock: Record<Direction, NearEnd[]> = { read: [], write: [] };
  #filling: Promise<void> | undefined;

  constructor(make: () => Promise<MadePipe>) {
    this.#make = make;
  }

  /** All that a command needs, in its order, or nothing. */
  async take(wanted: readonly (Direction | null)[]): Promise<(NearEnd | null)[]> {
    const ends: (NearEnd | null)[] = [];
    try {
      for (const direction of wanted) ends.push(direction && (await this.#one(direction)));
      return ends;
    } catch (error) {
      for (const end of ends) if (end) this.#stock[end.direction].push(end);
      throw error;
    }
  }

  /** For when there is time: while a command runs. */
  fill(): Promise<void> {
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  drop(): void {
    for (const ends of Object.values(this.#stock)) for (const { stream } of ends.splice(0)) stream.destroy();
  }

  async #fill(): Promise<void> {
    const missing = (["read", "write"] as const).flatMap((direction) =>
      Array.from<Direction>({ length: Math.max(0, ahead[direction] - this.#stock[direction].length) }).fill(
        direction,
      ),
    );
    await Promise.all(
      missing.map(async (direction) => {
        const end = await this.#open(direction);
        this.#stock[direction].push(end);
      }),
    );
  }

  async #one(direction: Direction): Promise<NearEnd> {
    return this.#stock[direction].pop() ?? this.#open(direction);
  }

  async #open(direction: Direction): Promise<NearEnd> {
    const { number, [direction]: path } = await this.#make();
    const reads = direction === "read";
    const fd = openSync(path, (reads ? constants.O_RDONLY : constants.O_WRONLY) | constants.O_NONBLOCK);
    const stream = new Socket({ fd, readable: reads, writable: !reads });
    // Whoever takes it listens for more than this; one that waits here is nobody's yet.
    stream.on("error", () => {});
    return { number, direction, stream };
  }
}
