import { open } from "node:fs/promises";
import { type AgentEvent, agentEvent } from "@opentiger/schema";

const chunkBytes = 256 * 1024;

/** What an agent does and says, from the file that grows meanwhile: each time it is asked, what came since. */
export class EventTail {
  readonly #path: string;
  #offset = 0;
  #rest = Buffer.alloc(0);
  #last = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Nothing where there is no file yet, or none any more. What a writer that slept wrote again is told once. */
  async read(): Promise<AgentEvent[]> {
    const file = await open(this.#path, "r").catch(() => undefined);
    if (!file) return [];
    const events: AgentEvent[] = [];
    try {
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, this.#offset);
        if (bytesRead === 0) return events;
        this.#offset += bytesRead;
        events.push(...this.#lines(buffer.subarray(0, bytesRead)));
      }
    } finally {
      await file.close();
    }
  }

  /** A last line without its end is being written. */
  #lines(chunk: Buffer): AgentEvent[] {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const end = bytes.lastIndexOf(0x0a) + 1;
    this.#rest = bytes.subarray(end);
    const lines = bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    return lines.flatMap((line) => {
      const event = readLine(line);
      if (!event || event.seq <= this.#last) return [];
      this.#last = event.seq;
      return [event];
    });
  }
}

function readLine(line: string): AgentEvent | undefined {
  try {
    return agentEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
