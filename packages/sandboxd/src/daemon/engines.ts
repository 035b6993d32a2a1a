import { readFileSync } from "node:fs";
import {
  connectEngine,
  type DockerOptions,
  defaultHome,
  SandboxError,
  writeAtomically,
} from "@opentiger/sandbox";
import { z } from "zod";
import { type EngineAddress, engineAddress, engineVariables } from "../api.ts";

const addresses = z.record(z.string(), engineAddress);
type Engine = ReturnType<typeof connectEngine>;

/** How the engines of our sandboxes are found: as the commands that made them found them. Survives a restart. */
export class Engines {
  readonly #file: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #known: Record<string, EngineAddress>;
  readonly #connected = new Map<string, Engine>();

  constructor(file: string, env: NodeJS.ProcessEnv) {
    this.#file = file;
    this.#env = env;
    this.#known = read(file);
  }

  /** Those that it is known of how they are reached. */
  get known(): string[] {
    return Object.keys(this.#known);
  }

  remember(engine: string, address: EngineAddress): void {
    if (JSON.stringify(this.#known[engine]) === JSON.stringify(address)) return;
    this.#known[engine] = address;
    this.#connected.delete(engine);
    writeAtomically(this.#file, `${JSON.stringify(this.#known)}\n`);
  }

  docker(engine: string): Engine["docker"] {
    return this.engine(engine).docker;
  }

  engine(id: string): Engine {
    const connected = this.#connected.get(id) ?? this.#connect(id);
    this.#connected.set(id, connected);
    return connected;
  }

  #connect(engine: string): Engine {
    const { env, ...named } = this.addressOf(engine);
    return connectEngine({ env, home: defaultHome(env), ...named });
  }

  /** As the command had it that told of the engine; nothing of our own environment leads elsewhere. */
  addressOf(engine: string): Pick<DockerOptions, "context"> & { env: NodeJS.ProcessEnv } {
    const address = this.#known[engine];
    if (!address) {
      throw new SandboxError(
        "engine_unavailable",
        `sandboxd does not know how to reach the engine ${engine}`,
        {
          remedy: "use one of its sandboxes once, for example with `docker sandbox exec`",
        },
      );
    }
    const own = { ...this.#env };
    for (const name of engineVariables) delete own[name];
    const { context } = address;
    return { env: { ...own, ...address.env }, ...(context === undefined ? {} : { context }) };
  }
}

/** What only helps to find an engine again is made anew when it cannot be read. */
function read(file: string): Record<string, EngineAddress> {
  try {
    return addresses.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}
