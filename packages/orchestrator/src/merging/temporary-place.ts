import { type Backend, HostBackend, openState } from "@opentiger/sandbox";
import { Sandboxd } from "@opentiger/sandboxd";
import type { Place } from "../place.ts";
import { SystemConfig } from "../state/config/system-config.ts";
import { temporaryDatabase } from "../state/temporary-database.ts";

export interface TemporaryPlace extends Place {
  remove(): Promise<void>;
  lines: string[];
}

/** A place for a test on the host: a database of its own, and no engine. */
export async function temporaryPlace(): Promise<TemporaryPlace> {
  const instance = await temporaryDatabase();
  const database = await instance.open();
  const config = await SystemConfig.open(database, { env: instance.env });
  const host: Backend = new HostBackend(openState(instance.home));
  const lines: string[] = [];
  return {
    database,
    config,
    folder: instance.home,
    env: instance.env,
    sandboxd: new Sandboxd(instance.env),
    backend: async () => host,
    log: (line) => lines.push(line),
    lines,
    remove: async () => {
      config.close();
      await host.reset();
      await instance.remove();
    },
  };
}
