/** What the watch sees and does. The engine behind it is the daemon's business. */
export interface Disk {
  /** Free bytes on each file system where sandboxes write; those are missing of which it cannot be known. */
  free(): Promise<ReadonlyMap<string, number>>;
  /** How much each running sandbox has written on one of them so far, by id. */
  sizes(fileSystem: string): Promise<ReadonlyMap<string, number>>;
  pause(id: string, reason: string): Promise<void>;
}

/** What a sandbox writes while it is made, and more: pausing one that grew by less would help nobody. */
const smallestGrowth = 1_000_000;

/**
 * Keeps one sandbox from filling a disk for all. Well above the floor only the free space is read, which costs
 * nothing; near it the sizes are read as well; below it whoever grew the most since is paused, and that one alone:
 * the others get to know only if it was not enough.
 */
export class DiskWatch {
  readonly #disk: Disk;
  readonly #floor: number;
  readonly #before = new Map<string, ReadonlyMap<string, number>>();
  #looking = false;

  constructor(disk: Disk, floorBytes: number) {
    this.#disk = disk;
    this.#floor = floorBytes;
  }

  /** One look. Returns the ids of the sandboxes that were paused: at most one for each file system. */
  async look(): Promise<string[]> {
    // Where it takes longer to see who grew, the next look waits.
    if (this.#looking) return [];
    this.#looking = true;
    try {
      const free = await this.#disk.free();
      for (const known of this.#before.keys()) if (!free.has(known)) this.#before.delete(known);
      const paused: string[] = [];
      for (const [fileSystem, bytes] of free) {
        const id = await this.#lookAt(fileSystem, bytes);
        if (id !== undefined) paused.push(id);
      }
      return paused;
    } finally {
      this.#looking = false;
    }
  }

  async #lookAt(fileSystem: string, free: number): Promise<string | undefined> {
    if (free > 2 * this.#floor) {
      this.#before.delete(fileSystem);
      return undefined;
    }
    const sizes = await this.#disk.sizes(fileSystem);
    const before = this.#before.get(fileSystem);
    this.#before.set(fileSystem, sizes);
    if (free > this.#floor || !before) return undefined;
    const fastest = fastestGrower(before, sizes);
    if (!fastest) return undefined;
    await this.#disk.pause(fastest.id, reason(free, this.#floor, fastest.grown));
    return fastest.id;
  }
}

/**
 * undefined when none grew: then it is not a sandbox that fills the disk. One that was not there at the last look
 * cannot be said to have grown since.
 */
function fastestGrower(
  before: ReadonlyMap<string, number>,
  sizes: ReadonlyMap<string, number>,
): { id: string; grown: number } | undefined {
  const grown = [...sizes].map(([id, size]) => ({ id, grown: size - (before.get(id) ?? size) }));
  const [fastest] = grown.toSorted((left, right) => right.grown - left.grown);
  return fastest && fastest.grown >= smallestGrowth ? fastest : undefined;
}

function reason(free: number, floor: number, grown: number): string {
  return `the disk has ${megabytes(free)} left (floor: ${megabytes(floor)}) and this sandbox grew by ${megabytes(grown)}`;
}

function megabytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / 1e6))} MB`;
}
