import { type Backend, connectDocker, HostBackend, openState, stateFolder } from "@opentiger/sandbox";
import { outwardThrough, Sandboxd } from "@opentiger/sandboxd";
import type { ExecutionEnvironment } from "@opentiger/schema";
import type { Place } from "../place.ts";
import { flagsOf } from "../state/config/flags.ts";
import { SystemConfig } from "../state/config/system-config.ts";
import { claimDatabase } from "../state/instance.ts";
import { openDatabase } from "../state/open-database.ts";
import type { EnsureOptions } from "../state/postgres/embedded-postgres.ts";

/** A place that somebody has to close. */
export interface OpenPlace extends Place {
  close(): Promise<void>;
}

export interface OpenPlaceOptions extends EnsureOptions {
  /** Who it is, for whoever looks at the database's connections. */
  program: string;
  log?: (line: string) => void;
}

/** Everything that a stage works with, of the instance that the environment names. Engines are found when they are needed. */
export async function openPlace(env: NodeJS.ProcessEnv, options: OpenPlaceOptions): Promise<OpenPlace> {
  const { program, log = () => {}, ...ensure } = options;
  const flags = flagsOf(env);
  const state = openState(stateFolder(env));
  const database = await openDatabase({ env, program, ...ensure });
  try {
    await claimDatabase(database, state, database.route.where);
    const config = await SystemConfig.open(database, { env, flags });
    const sandboxd = new Sandboxd(env);
    const host = new HostBackend(state);
    const docker = new DockerOnce((settings) => {
      const known = { ...env, ...settings };
      return connectDocker({ env: known, warn: log, outward: outwardThrough(sandboxd, known, undefined) });
    });
    return {
      database,
      config,
      folder: state.folder,
      env,
      sandboxd,
      log,
      backend: async (environment: ExecutionEnvironment): Promise<Backend> =>
        environment === "host" ? host : docker.get(dockerSettings(config)),
      close: async () => {
        config.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

type DockerSettings = Readonly<Record<string, string>>;

const dockerKeys = ["SANDBOX_DOCKER_IMAGE", "SANDBOX_DOCKER_NETWORK", "SANDBOX_DOCKER_RUNTIME"] as const;

/** Of what the backend reads from its environment: what somebody has set, there or in the stored settings. */
function dockerSettings(config: SystemConfig): DockerSettings {
  const set = dockerKeys.filter((name) => config.entry(name).source !== "default");
  return Object.fromEntries(set.map((name) => [name, config.get(name) ?? ""]));
}

/** One connection for all, and a new one where settings have changed or the last one could not be made. */
class DockerOnce {
  readonly #connect: (settings: DockerSettings) => Promise<Backend>;
  #settings = "";
  #backend: Promise<Backend> | undefined;

  constructor(connect: (settings: DockerSettings) => Promise<Backend>) {
    this.#connect = connect;
  }

  get(settings: DockerSettings): Promise<Backend> {
    const written = JSON.stringify(settings);
    if (this.#backend && this.#settings === written) return this.#backend;
    const backend = this.#connect(settings);
    this.#settings = written;
    this.#backend = backend;
    backend.catch(() => {
      if (this.#backend === backend) this.#backend = undefined;
    });
    return backend;
  }
}
