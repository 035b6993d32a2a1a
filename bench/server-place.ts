import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Sandboxd } from "@opentiger/sandboxd";
import { z } from "zod";
import { temporaryState } from "./temporary-state.ts";

export const opentigerFile = fileURLToPath(new URL("../packages/cli/dist/opentiger.js", import.meta.url));

const run = promisify(execFile);

export interface ServerPlace {
  env: NodeJS.ProcessEnv;
  /** The built command line, as a process of its own. */
  opentiger(...words: string[]): Promise<string>;
  /** Returns its URL when the server is ready. */
  up(): Promise<string>;
  remove(): Promise<void>;
}

/** A state folder of its own for a server on any free port, with these processes beside it. */
export function serverPlace({ processes }: { processes: readonly string[] }): ServerPlace {
  const { home, env, remove } = temporaryState({ OPENTIGER_API_PORT: "0" });
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "processes.json"), JSON.stringify({ version: 1, wanted: processes }));
  const opentiger = async (...words: string[]): Promise<string> =>
    (await run(process.execPath, [opentigerFile, ...words], { env })).stdout;
  return {
    env,
    opentiger,
    up: async () => {
      const said: unknown = JSON.parse(await opentiger("up", "--detach", "--json"));
      return z.object({ url: z.string() }).parse(said).url;
    },
    remove: async () => {
      await opentiger("down");
      await new Sandboxd(env).stop();
      await remove();
    },
  };
}
