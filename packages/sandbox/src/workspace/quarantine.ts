import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anySignal } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import { ownRepository } from "./git-environment.ts";
import { type GitOptions, git, gitStream } from "./host-git.ts";
import { type PackLimits, readPack } from "./pack-stream.ts";
import type { Repository } from "./repository.ts";

/** Enough for the largest object allowed, twice, and the user's indexes; not enough to hurt the host. */
const memoryKib = 3 * 1024 ** 2;

/** Reading gigabytes takes minutes; a pack can be made to take days. */
const patienceMs = 15 * 60 * 1000;

/** Like `git fetch`: so few objects are stored one by one, since a pack for each fetch would pile up. */
const fewObjects = 100;

const reading = ["-c", "core.packedGitWindowSize=16m", "-c", "core.packedGitLimit=256m"];

/**
 * A bare repository of ours, beside the user's, in which what an agent sent is looked at. It sees the objects of
 * the user's one, and the user's one sees nothing of it until all checks have passed.
 */
export class Quarantine {
  readonly #folder: string;
  readonly #repository: Repository;
  readonly #limits: PackLimits;
  readonly #signal: AbortSignal;
  #objects = 0;

  private constructor(
    folder: string,
    repository: Repository,
    limits: PackLimits,
    signal: AbortSignal | undefined,
  ) {
    this.#folder = folder;
    this.#repository = repository;
    this.#limits = limits;
    const patience = AbortSignal.timeout(patienceMs);
    this.#signal = signal ? anySignal([signal, patience]) : patience;
  }

  static async open(
    repository: Repository,
    options: { limits: PackLimits; scratch?: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<Quarantine> {
    const folder = mkdtempSync(join(options.scratch ?? tmpdir(), "opentiger-fetch-"));
    const quarantine = new Quarantine(folder, repository, options.limits, options.signal);
    try {
      const format = `--object-format=${repository.format}`;
      await git(folder, ["init", "--quiet", "--bare", "--template=", format, "."], { env: ownRepository });
      const shallow = join(repository.commonDir, "shallow");
      if (existsSync(shallow)) copyFileSync(shallow, join(folder, "shallow"));
      return quarantine;
    } catch (error) {
      quarantine.close();
      throw error;
    }
  }

  /** Takes a pack in: whole, within the limits, every object well-formed by git's own strict rules. */
  async receive(bytes: AsyncIterable<Buffer>): Promise<void> {
    const pack = await readPack(bytes, this.#limits.packBytes);
    this.#objects = pack.objects;
    if (pack.objects === 0) {
      for await (const _chunk of pack.bytes);
      return;
    }
    const most = `--max-input-size=${this.#limits.packBytes}`;
    const args = ["index-pack", "--stdin", "--fix-thin", "--strict", "--threads=2", most];
    await this.#run([...reading, ...args], { input: pack.bytes, env: this.#besides() });
    await this.#checkSizes();
  }

  /**
   * Checks that these are commits whose whole history is there, given that the user's repository has all of
   * `known`. Returns how many commits are new.
   */
  async check(tips: readonly string[], known: readonly string[]): Promise<number> {
    const env = this.#besides();
    const wanted = tips.map((oid) => `${oid}\n`).join("");
    const range = wanted + known.map((oid) => `^${oid}\n`).join("");
    const listing = [...reading, "rev-list", "--stdin"];
    const types = await this.#run(["cat-file", "--batch-check=%(objecttype)"], { input: wanted, env });
    if (types.split("\n").some((type) => type !== "" && type !== "commit")) throw notCommits();
    const [count] = await Promise.all([
      this.#run([...listing, "--count"], { input: range, env }),
      this.#run([...listing, "--objects", "--quiet"], { input: range, env }),
    ]);
    return Number(count);
  }

  /** Hands the objects to the user's repository. Until a ref is set there, nothing but its store knows them. */
  async release(): Promise<void> {
    const packs = join(this.#folder, "objects/pack");
    const name = readdirSync(packs).find((file) => file.endsWith(".pack"));
    if (!name) return;
    const fd = openSync(join(packs, name), "r");
    try {
      const args =
        this.#objects < fewObjects ? ["unpack-objects", "-q"] : ["index-pack", "--stdin", "--threads=2"];
      // Not cancelled half-way: what it has begun to write would stay.
      await git(this.#repository.path, [...reading, ...args], { input: fd, memoryKib });
    } finally {
      closeSync(fd);
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Looks at the quarantined objects alone. */
  async #checkSizes(): Promise<void> {
    const args = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectsize)"];
    const digits = String(this.#limits.objectBytes).length;
    let line = "";
    for await (const chunk of gitStream(this.#folder, args, {
      env: ownRepository,
      memoryKib,
      signal: this.#signal,
    })) {
      const lines = (line + chunk.toString("latin1")).split("\n");
      line = lines.pop() ?? "";
      const large = lines.find((size) => size.length >= digits && Number(size) > this.#limits.objectBytes);
      if (large !== undefined) throw tooLarge(Number(large), this.#limits.objectBytes);
    }
  }

  async #run(args: readonly string[], options: GitOptions): Promise<string> {
    try {
      return await git(this.#folder, args, { memoryKib, signal: this.#signal, ...options });
    } catch (error) {
      throw refused(error);
    }
  }

  #besides(): Record<string, string> {
    // Quoted, since a colon would separate two folders.
    const objects = JSON.stringify(join(this.#repository.commonDir, "objects"));
    return { ...ownRepository, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects };
  }
}

function refused(error: unknown): unknown {
  if (!(error instanceof SandboxError) || error.code !== "git_failed") return error;
  return new SandboxError("git_failed", `the commits in the sandbox are not sound: ${error.message}`, {
    remedy: "run `git fsck --strict` inside and mend what it names; nothing was fetched",
    cause: error,
  });
}

function notCommits(): SandboxError {
  return new SandboxError("git_failed", "a branch in the sandbox does not lead to a commit that was sent", {
    remedy: "run `git fsck` inside; nothing was fetched",
  });
}

function tooLarge(size: number, most: number): SandboxError {
  return new SandboxError(
    "git_failed",
    `the sandbox sent an object of ${size} bytes, and ${most} are allowed`,
    {
      remedy: "take the large file out of the history inside; nothing was fetched",
    },
  );
}
