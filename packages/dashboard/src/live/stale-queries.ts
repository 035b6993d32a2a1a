import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { StreamEvent } from "./event-stream.ts";

/** Several events come together, and each list is to be read once for all of them. */
const gatherMs = 150;

/** Which queries an event makes old. A key is the beginning of all that it means. */
export function keysOf({ event, data }: StreamEvent): QueryKey[] {
  const [topic] = event.split(".");
  if (event === "reset") return [[]];
  if (event === "system.build") return [["system", "build"]];
  // Not what is asked of a sandbox itself: somebody may have stopped it, and to ask it would start it.
  if (event === "system.audit") return [["audit"], ["keys"], ["secrets"], ["sandboxes"]];
  if (topic === "system") return [["system"]];
  const { loop, task, run } = readIds(data);
  // What an agent says is followed by whoever shows it; the overview shows what it does at the moment.
  if (event === "run.output") return [["overview"]];
  return [
    ["loops"],
    ["overview"],
    ...(loop === undefined ? [] : [["loop", loop]]),
    ...(task === undefined ? [] : [["task", task]]),
    ...(run === undefined ? [] : [["run", run]]),
    // An agent that begins or ends has a sandbox of its own.
    ...(topic === "run" ? [["usage"], ["sandboxes"]] : []),
  ];
}

/** Reads anew what the events made old, a moment after the first of them. */
export class StaleQueries {
  readonly #client: QueryClient;
  #keys = new Map<string, QueryKey>();
  #waiting = false;

  constructor(client: QueryClient) {
    this.#client = client;
  }

  add(keys: readonly QueryKey[]): void {
    for (const key of keys) this.#keys.set(JSON.stringify(key), key);
    if (this.#waiting || this.#keys.size === 0) return;
    this.#waiting = true;
    setTimeout(() => this.#flush(), gatherMs);
  }

  #flush(): void {
    const keys = [...this.#keys.values()];
    this.#keys = new Map();
    this.#waiting = false;
    for (const queryKey of keys) void this.#client.invalidateQueries({ queryKey });
  }
}

function readIds(data: string): { loop?: string; task?: string; run?: string } {
  const read: unknown = JSON.parse(data || "{}");
  if (typeof read !== "object" || read === null) return {};
  const text = (name: string) => {
    const value: unknown = Reflect.get(read, name);
    return typeof value === "string" ? { [name]: value } : {};
  };
  return { ...text("loop"), ...text("task"), ...text("run") };
}
