import type { Server } from "node:net";
import { namePorts } from "../../protocol/doors.ts";

/** Listens for connections that mean this name. */
export type OpenNameDoor = (host: string, address: string, port: number) => Promise<Server>;

interface Entry {
  address: string;
  /** Nobody may hold the address any more after this. */
  freeAt: number;
  doors: Map<number, Server>;
  opening: Promise<void>;
}

/** Two listening sockets each. */
const mostNames = 1024;

/** How long an answer may be kept, in seconds. Programs that keep it longer are served all the same, while there is room. */
export const nameTtl = 30;

/** 127.64.0.0/10. */
const firstAddress = 0x7f_40_00_00;
const addresses = 2 ** 22;

/**
 * Which address of the loopback stands for which name. A name keeps its address; when there are too many, those that
 * were not asked for longest go, and their doors are closed. An address is given to another name only after all the
 * four million others were: whoever kept one for too long is refused, and never led elsewhere.
 */
export class NameTable {
  readonly #open: OpenNameDoor;
  readonly #now: () => number;
  /** In the order in which they were asked for. */
  readonly #entries = new Map<string, Entry>();
  readonly #used = new Set<string>();
  #next = 1;

  constructor(open: OpenNameDoor, now: () => number = () => performance.now()) {
    this.#open = open;
    this.#now = now;
  }

  /** undefined when there is no room, or when nothing can be listened on. */
  async addressOf(host: string): Promise<string | undefined> {
    const entry = this.#entries.get(host) ?? this.#admit();
    if (!entry) return undefined;
    this.#entries.delete(host);
    this.#entries.set(host, entry);
    entry.freeAt = this.#now() + nameTtl * 1000;
    entry.opening = entry.opening.then(() => this.#openMissing(host, entry));
    await entry.opening;
    return entry.doors.size > 0 ? entry.address : undefined;
  }

  /** A command of the sandbox may hold a port for all addresses; once it is gone, the next question opens the door. */
  async #openMissing(host: string, entry: Entry): Promise<void> {
    const missing = namePorts.filter((port) => !entry.doors.has(port));
    await Promise.allSettled(
      missing.map(async (port) => {
        const server = await this.#open(host, entry.address, port);
        if (this.#entries.get(host) === entry) entry.doors.set(port, server);
        else server.close();
      }),
    );
  }

  #admit(): Entry | undefined {
    if (this.#entries.size >= mostNames && !this.#evict()) return undefined;
    const address = this.#freeAddress();
    this.#used.add(address);
    return { address, freeAt: 0, doors: new Map(), opening: Promise.resolve() };
  }

  /** Gives up the one that was not asked for longest, unless somebody may still hold its address. */
  #evict(): boolean {
    const [oldest] = this.#entries;
    if (!oldest) return false;
    const [host, entry] = oldest;
    if (entry.freeAt > this.#now()) return false;
    this.#entries.delete(host);
    this.#used.delete(entry.address);
    for (const server of entry.doors.values()) server.close();
    return true;
  }

  #freeAddress(): string {
    for (;;) {
      const address = dotted(firstAddress + this.#next);
      this.#next = (this.#next % (addresses - 2)) + 1;
      if (!this.#used.has(address)) return address;
    }
  }
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join(".");
}
