import {
  type ConfigEntry,
  type ConfigKeyName,
  type ConfigValue,
  configKeyNames,
  type LaunchMode,
  launchModes,
} from "@opentiger/schema";
import type { Database } from "../database.ts";
import { checkPatch } from "./patch.ts";
import { type ConfigLayers, describeKey, resolveValue } from "./resolve.ts";
import { configChannel, type StoredValue, storedValues, storeValue } from "./stored-values.ts";

export interface SystemConfigOptions {
  env?: NodeJS.ProcessEnv;
  flags?: ConfigLayers["flags"];
}

/**
 * The settings in force: flag before environment before what is stored before the default. What is stored is kept here
 * and read again whenever anybody changed it, so that what begins next has it without a restart.
 */
export class SystemConfig {
  readonly #database: Database;
  readonly #env: NodeJS.ProcessEnv;
  readonly #flags: ConfigLayers["flags"];
  readonly #leave: () => void;
  #stored: ReadonlyMap<string, StoredValue>;
  #reading: Promise<void> | undefined;
  #again = false;

  static async open(database: Database, options: SystemConfigOptions = {}): Promise<SystemConfig> {
    return new SystemConfig(database, options, await storedValues(database));
  }

  private constructor(
    database: Database,
    { env = process.env, flags = {} }: SystemConfigOptions,
    stored: ReadonlyMap<string, StoredValue>,
  ) {
    this.#database = database;
    this.#env = env;
    this.#flags = flags;
    this.#stored = stored;
    // What cannot be read now is read when the database is there again: that wakes too.
    this.#leave = database.notifications.subscribe(configChannel, () => void this.#read().catch(() => {}));
  }

  get<Name extends ConfigKeyName>(name: Name): ConfigValue<Name> {
    return resolveValue(name, this.#layers);
  }

  /** Throws for the first setting that cannot be used, with what mends it: who needs all of them asks before the start. */
  check(): void {
    for (const name of configKeyNames) this.get(name);
  }

  /** Contract A2. */
  get launchMode(): LaunchMode {
    return launchModes[this.get("EXECUTION_ENVIRONMENT")];
  }

  entry(name: ConfigKeyName): ConfigEntry {
    return describeKey(name, this.#layers);
  }

  entries(): ConfigEntry[] {
    return configKeyNames.map((name) => this.entry(name));
  }

  /** Stores all of the changes or none; null is the default again. Returns the keys as they are then. */
  async patch(changes: Readonly<Record<string, unknown>>, by: string): Promise<ConfigEntry[]> {
    const checked = checkPatch(changes, this.#layers);
    await this.#database.transaction(async (connection) => {
      for (const [key, value] of checked) await storeValue(connection, key, value, by);
    });
    await this.#read();
    return [...checked.keys()].map((name) => this.entry(name));
  }

  close(): void {
    this.#leave();
  }

  get #layers(): ConfigLayers {
    return { flags: this.#flags, env: this.#env, stored: this.#stored };
  }

  /** Resolves when what is kept is at least as new as when this was called. */
  async #read(): Promise<void> {
    if (this.#reading) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    do {
      this.#again = false;
      this.#stored = await storedValues(this.#database);
    } while (this.#again);
  }
}
