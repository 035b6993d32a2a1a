import type { Place } from "@opentiger/orchestrator";
import {
  type BuildEvent,
  type BundledAgent,
  buildWorkerImage,
  connectEngine,
  defaultHome,
  workerImageName,
} from "@opentiger/sandbox";
import { anySignal } from "@opentiger/schema";
import { type ErrorAnswer, errorAnswer } from "../api/error-answer.ts";
import { ServerError } from "../errors.ts";

export interface BuildChoices {
  agents?: readonly BundledAgent[] | undefined;
  base?: "registry" | "debian" | undefined;
  fresh?: boolean | undefined;
}

export interface ImageBuild {
  state: "building" | "built" | "failed" | "stopped";
  image: string;
  startedAt: string;
  /** Which step of how many, where the engine has said; 0 before. */
  step: number;
  steps: number;
  /** The step itself. */
  text: string;
  /** The end of what the engine said. */
  lines: readonly string[];
  failure: ErrorAnswer | null;
  /** An image of the same recipe was there already. */
  unchanged: boolean;
}

/** As much of the output as somebody scrolls back. */
const maxLines = 200;

/**
 * Builds the worker image, one build at a time. A build goes on when the browser that asked for it is disconnected: it
 * starts many containers, each of them changes the machine's network, and browsers then cut their connections.
 */
export class ImageBuilder {
  readonly #place: Place;
  readonly #ending: AbortSignal;
  readonly #listeners = new Set<() => void>();
  #current: ImageBuild | null = null;
  #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  /** Ends with the signal. */
  constructor(place: Place, ending: AbortSignal) {
    this.#place = place;
    this.#ending = ending;
  }

  /** The build that goes on, or the last one. */
  get current(): ImageBuild | null {
    return this.#current;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** As the settings are at the moment. */
  environment(): NodeJS.ProcessEnv {
    const { env, config } = this.#place;
    return { ...env, SANDBOX_DOCKER_IMAGE: config.get("SANDBOX_DOCKER_IMAGE") };
  }

  start(choices: BuildChoices): ImageBuild {
    if (this.#current?.state === "building") {
      throw new ServerError("not_allowed_now", "the image is being built", {
        remedy: "wait until it is done, or stop it",
      });
    }
    const env = this.environment();
    const begun: ImageBuild = {
      state: "building",
      image: workerImageName(env, () => {}),
      startedAt: new Date().toISOString(),
      step: 0,
      steps: 0,
      text: "",
      lines: [],
      failure: null,
      unchanged: false,
    };
    this.#stop = new AbortController();
    this.#set(begun);
    this.#ended = this.#build(choices, env, begun.image);
    return begun;
  }

  /** Returns when nothing of it runs any more. */
  async stop(): Promise<ImageBuild | null> {
    this.#stop.abort();
    await this.#ended;
    return this.#current;
  }

  /** Resolves when the build that goes on has ended. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  async #build({ agents, base, fresh }: BuildChoices, env: NodeJS.ProcessEnv, image: string): Promise<void> {
    const { signal } = this.#stop;
    try {
      const { docker } = connectEngine({ env, home: defaultHome(env) });
      const { built } = await buildWorkerImage({
        docker,
        env,
        signal: anySignal([signal, this.#ending]),
        tag: image,
        onProgress: (event) => this.#tell(event),
        ...(agents ? { agents } : {}),
        ...(base ? { base } : {}),
        ...(fresh ? { fresh } : {}),
      });
      this.#change({ state: "built", unchanged: !built });
    } catch (error) {
      if (signal.aborted) this.#change({ state: "stopped" });
      else this.#change({ state: "failed", failure: errorAnswer(error) });
    }
  }

  #tell(event: BuildEvent): void {
    const lines = this.#current?.lines ?? [];
    const text = event.kind === "pull" ? `${event.layer} ${event.status}` : event.text;
    const more = text.split("\n").filter((line) => line.trim() !== "");
    this.#change({
      lines: [...lines, ...more].slice(-maxLines),
      ...(event.kind === "step" ? { text, step: event.step, steps: event.steps } : {}),
    });
  }

  #change(changed: Partial<ImageBuild>): void {
    if (this.#current) this.#set({ ...this.#current, ...changed });
  }

  #set(build: ImageBuild): void {
    this.#current = build;
    for (const listener of this.#listeners) listener();
  }
}
