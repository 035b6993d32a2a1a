import { join } from "node:path";
import { type State, tellSettings } from "@opentiger/sandbox";
import type { BrokeredSandbox } from "../api.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { type BrokeredAgent, brokeredAgents } from "../gateway/placeholders/placeholders.ts";
import type { Attached } from "./attached.ts";
import { putFile } from "./put-file.ts";

/**
 * Lets the agent of a sandbox use the credentials of this machine without having them: it gets placeholders, and the
 * gateway as the address of its model. Where there is no credential for it, nothing is changed.
 */
export async function broker(
  { records }: State,
  gateway: Gateway,
  attached: Attached,
): Promise<BrokeredSandbox> {
  const { id, name, agent, user } = attached.record;
  const agents = agentsOf(agent);
  const prepared = await gateway.prepare({ sandboxId: id, sandboxName: name }, agents);
  const { credentials, trouble, env, files } = prepared;
  const used = Object.keys(env).length > 0 || files.length > 0;
  if (used) {
    const record = records.update(id, (latest) => ({ ...latest, env: { ...latest.env, ...env } }));
    if (record) attached.record = record;
    await attached.withSession(async (session) => {
      await tellSettings(session, attached.record);
      for (const { path, content, mode } of files)
        await putFile(session, join(user.home, path), content, mode);
    });
  }
  return { given: used, agents, credentials, trouble };
}

/** In a sandbox for no agent in particular each of them may be started. */
function agentsOf(agent: string): BrokeredAgent[] {
  const own = brokeredAgents.find((known) => known === agent);
  return own ? [own] : [...brokeredAgents];
}
