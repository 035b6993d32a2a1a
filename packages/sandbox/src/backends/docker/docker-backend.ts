import type { NetworkSettings, SandboxSummary } from "@opentiger/schema";
import type { Outward } from "../../egress/outward.ts";
import type {
  Backend,
  CreateOptions,
  ListOptions,
  OpenOptions,
  RemoveOptions,
  Sandbox,
  StopOptions,
} from "../../sandbox.ts";
import { stateFolder } from "../../state/folder.ts";
import { openState } from "../../state/state.ts";
import { defaultHome } from "../../workspace/rules.ts";
import { createSandbox } from "./create/create.ts";
import { connectEngine } from "./engine/engine.ts";
import { asSandboxError } from "./engine/errors.ts";
import { freeBytes } from "./engine/free-bytes.ts";
import { findImage } from "./image/image.ts";
import { findSaved, namedImage, removeSaved, type SavedImages } from "./image/saved.ts";
import { inspectSandbox } from "./inspect.ts";
import { listSandboxes } from "./list.ts";
import { setNetwork } from "./network/set-network.ts";
import { openSandbox } from "./open.ts";
import type { Place } from "./place.ts";
import { keepPool, type PoolStatus, poolStatus } from "./pool/keep.ts";
import { drainPool } from "./pool/pool.ts";
import { type PoolSettings, readPoolSettings, writePoolSettings } from "./pool/settings.ts";
import { coolPool, type WarmOptions, warmKey, warmPool } from "./pool/warm.ts";
import { coolUnless, type WarmSandbox, warmSandboxes } from "./pool/warm-sandbox.ts";
import { pruneSandboxes, resetSandboxes } from "./prune.ts";
import { removeSandbox } from "./remove.ts";
import { resumeSandbox } from "./resume.ts";
import { type SaveOptions, saveSandbox } from "./save.ts";
import { stopSandbox } from "./stop.ts";

export interface DockerOptions {
  /** A context of the docker command; default: as the docker command finds its engine. */
  context?: string;
  /** Where all settings are read from. Default: the process's own. */
  env?: NodeJS.ProcessEnv;
  /** Opens the way out of sandboxes. Default: nobody does, and only open ones have a network. */
  outward?: Outward;
  /** Told what the user should know but what stops nothing. Default: a line on stderr. */
  warn?: (sentence: string) => void;
}

/** Ready to make sandboxes; nothing is asked of the engine until something is asked of the backend. */
export async function connectDocker(options: DockerOptions = {}): Promise<DockerBackend> {
  return new DockerBackend(options);
}

/** Sandboxes as containers of a Docker engine. Every error that leaves it is a SandboxError. */
export class DockerBackend implements Backend {
  readonly kind = "docker";
  readonly #place: Omit<Place, "facts">;

  constructor({ env = process.env, context, outward, warn = toStderr }: DockerOptions) {
    const home = defaultHome(env);
    const engine = connectEngine({ env, home, ...(context === undefined ? {} : { context }) });
    const state = openState(stateFolder(env));
    const { docker } = engine;
    this.#place = { engine, docker, state, env, home, warn, ...(outward ? { outward } : {}) };
  }

  create(options: CreateOptions): Promise<Sandbox> {
    return this.#guarded(() => createSandbox(this.#place, this.#place.engine.facts(options.signal), options));
  }

  open(name: string, options: OpenOptions = {}): Promise<Sandbox> {
    return this.#guarded(() => openSandbox(this.#place, name, options));
  }

  list(options: ListOptions = {}): Promise<SandboxSummary[]> {
    return this.#at((place) => listSandboxes(place, options));
  }

  inspect(name: string): Promise<Record<string, unknown>> {
    return this.#at((place) => inspectSandbox(place, name));
  }

  stop(name: string, options: StopOptions = {}): Promise<void> {
    return this.#at((place) => stopSandbox(place, name, options));
  }

  resume(name: string): Promise<void> {
    return this.#at((place) => resumeSandbox(place, name));
  }

  remove(name: string, options: RemoveOptions = {}): Promise<void> {
    return this.#at((place) => removeSandbox(place, name, options));
  }

  save(name: string, tag: string, options: SaveOptions = {}): Promise<{ imageId: string }> {
    return this.#at((place) => saveSandbox(place, name, tag, options));
  }

  /** Sees to it that the engine has this image: one that it does not have is pulled, or refused. */
  bringImage(reference: string, options: Pick<CreateOptions, "onProgress" | "signal">): Promise<void> {
    return this.#at(async ({ docker }) => void (await findImage(docker, reference, options)));
  }

  /** The image that has this name on the engine; undefined: none. */
  imageId(reference: string): Promise<string | undefined> {
    return this.#at((place) => namedImage(place, reference));
  }

  /** What `save` made, on this engine. */
  readonly images: SavedImages = {
    find: (reference) => this.#at((place) => findSaved(place, reference)),
    remove: (reference) => this.#at((place) => removeSaved(place, reference)),
  };

  /** Changes what a sandbox may reach; to or from `open` its container is made anew around the same files. */
  setNetwork(name: string, settings: NetworkSettings): Promise<{ recreated: boolean }> {
    return this.#at((place) => setNetwork(place, name, settings));
  }

  reset(): Promise<string[]> {
    return this.#at(resetSandboxes);
  }

  prune(): Promise<string[]> {
    return this.#at(pruneSandboxes);
  }

  /** Remembers how many sandboxes to keep parked, and makes it so many; returns how many were added. */
  fillPool(settings: PoolSettings, signal?: AbortSignal): Promise<number> {
    writePoolSettings(this.#place, settings);
    return this.keepPool(signal);
  }

  /** Makes the pool again what was asked for last: after an adoption, or when its image was made anew. */
  keepPool(signal?: AbortSignal): Promise<number> {
    return this.#at((place) => keepPool(place, signal));
  }

  drainPool(): Promise<number> {
    writePoolSettings(this.#place, { size: 0 });
    return this.#at(async (place) => (await drainPool(place)).length);
  }

  /** Parks clone sandboxes of an image until there are `count`, for `create` to adopt; returns how many were added. */
  warm(options: WarmOptions): Promise<number> {
    return this.#at((place) => warmPool(place, options));
  }

  /** Removes the parked sandboxes of an image; returns how many there were. */
  cool(image: string): Promise<number> {
    return this.#at((place) => coolPool(place, image));
  }

  /** By which those that `warm` would park are known among `warmSandboxes`. */
  warmKey(options: Omit<WarmOptions, "count">): Promise<string> {
    return this.#at((place) => warmKey(place, options));
  }

  warmSandboxes(): WarmSandbox[] {
    return warmSandboxes(this.#place);
  }

  /** Removes the warm ones that are not kept, and what killed processes left of them; returns how many there were. */
  coolUnless(isKept: (sandbox: WarmSandbox) => boolean): Promise<number> {
    return this.#at((place) => coolUnless(place, isKept));
  }

  /** What is free on the disk where sandboxes are kept; undefined where that is another machine's. */
  freeBytes(): Promise<number | undefined> {
    return this.#at(freeBytes);
  }

  /** How many are to be parked. The engine is not asked. */
  poolSize(): number {
    return readPoolSettings(this.#place).size;
  }

  poolStatus(): Promise<PoolStatus> {
    return this.#at(poolStatus);
  }

  #at<T>(work: (place: Place) => Promise<T>): Promise<T> {
    return this.#guarded(async () => work({ ...this.#place, facts: await this.#place.engine.facts() }));
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asSandboxError(error, this.#place.engine.address);
    }
  }
}

function toStderr(sentence: string): void {
  process.stderr.write(`warning: ${sentence}\n`);
}
