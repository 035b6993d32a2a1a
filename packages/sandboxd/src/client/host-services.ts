import { rewriteLoopback, type Sandbox } from "@opentiger/sandbox";
import { networkSettings } from "@opentiger/schema";
import { Sandboxd } from "./client.ts";

/**
 * A URL of this machine's loopback, handed to a sandbox, means a service of this machine: its host is rewritten to the
 * name under which the sandbox reaches it, and its port is opened for this sandbox. On the host itself nothing changes.
 */
export async function withHostServices(
  sandbox: Pick<Sandbox, "name" | "backend">,
  given: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  if (sandbox.backend === "host") return { ...given };
  const { env: rewritten, hostPorts } = rewriteLoopback(given);
  if (hostPorts.length === 0) return rewritten;
  const path = `/sandboxes/${encodeURIComponent(sandbox.name)}/host-ports`;
  const question = { method: "POST", path, body: { ports: hostPorts } } as const;
  await new Sandboxd(env).ask(question, networkSettings);
  return rewritten;
}
