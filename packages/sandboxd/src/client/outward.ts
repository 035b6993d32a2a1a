import type { Outward } from "@opentiger/sandbox";
import type { SandboxRecord } from "@opentiger/schema";
import { z } from "zod";
import { type EngineAddress, engineVariables } from "../api.ts";
import type { Sandboxd } from "./client.ts";

/** The way out of sandboxes: through this user's sandboxd, which is started when the first one needs it. */
export function outwardThrough(
  sandboxd: Sandboxd,
  env: NodeJS.ProcessEnv,
  context: string | undefined,
): Outward {
  return {
    prepare: () => sandboxd.ensure(),
    attach: async (record: SandboxRecord) => {
      const body = { engine: addressOf(env, context) };
      await sandboxd.ask({ method: "POST", path: `/attached/${record.id}`, body }, z.unknown());
    },
    detach: async (id: string) => {
      // One that does not run holds nothing.
      if (await sandboxd.status()) {
        await sandboxd.ask({ method: "DELETE", path: `/attached/${id}` }, z.unknown());
      }
    },
  };
}

function addressOf(env: NodeJS.ProcessEnv, context: string | undefined): EngineAddress {
  const known: Record<string, string> = {};
  for (const name of engineVariables) {
    const value = env[name];
    if (value !== undefined) known[name] = value;
  }
  return { env: known, ...(context === undefined ? {} : { context }) };
}
