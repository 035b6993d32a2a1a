import { setTimeout as sleep } from "node:timers/promises";
import { databaseUrl, EmbeddedPostgres, type OpenPlace, openPlace } from "@opentiger/orchestrator";
import { asSandboxError, connectEngine, defaultHome, SandboxError, stateFolder } from "@opentiger/sandbox";
import { anySignal, type ConfigKeyName, type ConfigValue, configKeys } from "@opentiger/schema";

type Engine = ReturnType<typeof connectEngine>;
type EngineFacts = Awaited<ReturnType<Engine["facts"]>>;

/** An engine that is merely busy manages that; one behind a dead address never would. */
const engineMs = 8_000;

/** A connection that is well ends at once. */
const closeMs = 2_000;

/** What all checks look at. What several of them need is asked once. */
export class Ward {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  /** Aborted when nobody waits for an answer any more. */
  readonly signal: AbortSignal;
  readonly engine: Engine;
  readonly #ended = new AbortController();
  #facts: Promise<EngineFacts> | undefined;
  #place: Promise<OpenPlace | undefined> | undefined;

  constructor(env: NodeJS.ProcessEnv, signal: AbortSignal) {
    this.env = env;
    this.folder = stateFolder(env);
    this.signal = anySignal([signal, this.#ended.signal]);
    this.engine = connectEngine({ env, home: defaultHome(env) });
  }

  /** The database opened, and started where it does not run; undefined where there is none yet. To look makes none. */
  place(): Promise<OpenPlace | undefined> {
    this.#place ??= this.#open();
    return this.#place;
  }

  /** The value in force; without a database, what the environment or the default says. */
  async setting<Name extends ConfigKeyName>(name: Name): Promise<ConfigValue<Name>> {
    const place = await this.place().catch(() => undefined);
    if (place) return place.config.get(name);
    const written = this.env[name]?.trim();
    const hostForced = name === "EXECUTION_ENVIRONMENT" && this.env["AGENT_LOOP_HOST"] === "1";
    const { read, fallback } = configKeys[name];
    const reading = read(hostForced ? "host" : written) ?? fallback;
    return reading.value;
  }

  /** What the engine says of itself, or why it does not. */
  facts(): Promise<EngineFacts> {
    this.#facts ??= this.#askEngine();
    return this.#facts;
  }

  /** Whether the engine answers. That it does not is said once, by the check of the engine. */
  reachable(): Promise<boolean> {
    return this.facts().then(
      () => true,
      () => false,
    );
  }

  /** Also while the database is still being opened: what takes long was said, and is not waited for. */
  async close(): Promise<void> {
    this.#ended.abort();
    const closed = this.#place?.then((place) => place?.close()).catch(() => {});
    await Promise.race([closed, sleep(closeMs, undefined, { ref: false })]);
  }

  async #askEngine(): Promise<EngineFacts> {
    const time = AbortSignal.timeout(engineMs);
    try {
      return await this.engine.facts(anySignal([this.signal, time]));
    } catch (error) {
      const { address } = this.engine;
      if (!time.aborted) throw asSandboxError(error, address);
      throw new SandboxError(
        "engine_unavailable",
        `the Docker engine at ${address} does not answer within ${engineMs / 1_000} seconds`,
        { remedy: "start Docker, or choose another engine with --context or DOCKER_HOST", cause: error },
      );
    }
  }

  async #open(): Promise<OpenPlace | undefined> {
    if (!databaseUrl(this.env) && (await new EmbeddedPostgres(this.env).status()).state === "none")
      return undefined;
    return openPlace(this.env, { program: "doctor", signal: this.signal });
  }
}
