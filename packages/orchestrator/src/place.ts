import type { Backend } from "@opentiger/sandbox";
import type { Sandboxd } from "@opentiger/sandboxd";
import type { ExecutionEnvironment } from "@opentiger/schema";
import type { SystemConfig } from "./state/config/system-config.ts";
import type { Database } from "./state/database.ts";

/** What every stage works with. One a process. */
export interface Place {
  readonly database: Database;
  readonly config: SystemConfig;
  /** Of this instance's state folder: repositories, runs, sessions and artifacts lie below it, for the owner alone. */
  readonly folder: string;
  /** Where settings of programs are read from: git's author, the engine, credentials. */
  readonly env: NodeJS.ProcessEnv;
  readonly sandboxd: Sandboxd;
  /** Connected once each. */
  backend(environment: ExecutionEnvironment): Promise<Backend>;
  /** A line for the process's log. No secret. */
  log(line: string): void;
}
