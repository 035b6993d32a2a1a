import { readFileSync } from "node:fs";
import { connectEngine, defaultHome, SandboxError, writeAtomically } from "@opentiger/sandbox";
import { z } from "zod";
import { type EngineAddress, engineAddress } from "../api.ts";

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
    const env = { ...this.#env, ...address.env };
    const { context } = address;
    return connectEngine({ env, home: defaultHome(env), ...(context === undefined ? {} : { context }) });
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
