/** What the watch sees and does. The engine behind it is the daemon's business. */
export interface Disk {
  /** Free bytes where sandboxes write; undefined where that cannot be known. */
  free(): Promise<number | undefined>;
  /** How much each running sandbox has written so far, by id. */
  sizes(): Promise<ReadonlyMap<string, number>>;
  pause(id: string, reason: string): Promise<void>;
}

/** What a sandbox writes while it is made, and more: pausing one that grew by less would help nobody. */
const smallestGrowth = 1_000_000;

/**
 * Keeps one sandbox from filling the disk for all. Well above the floor only the free space is read, which costs
 * nothing; near it the sizes are read as well; below it whoever grew the most since is paused, and that one alone:
 * the others get to know only if it was not enough.
 */
export class DiskWatch {
  readonly #disk: Disk;
  readonly #floor: number;
  #before: ReadonlyMap<string, number> | undefined;

  constructor(disk: Disk, floorBytes: number) {
    this.#disk = disk;
    this.#floor = floorBytes;
  }

  /** One look. Returns the id of the sandbox that was paused, if one was. */
  async look(): Promise<string | undefined> {
    const free = await this.#disk.free();
    if (free === undefined || free > 2 * this.#floor) {
      this.#before = undefined;
      return undefined;
    }
    const sizes = await this.#disk.sizes();
    const before = this.#before;
    this.#before = sizes;
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
