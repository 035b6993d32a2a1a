import type { Sandbox } from "@opentiger/sandbox";
import type { NetworkChangeRequest } from "@opentiger/sandboxd";
import { networkSettings } from "@opentiger/schema";
import { phaseNetwork } from "../project/network.ts";
import { setupIn } from "../project/setup.ts";
import type { Judging } from "./judging.ts";

/**
 * Does the project's set-up once more, in a sandbox of the judge's whose candidate has changed a lock file. It reaches what
 * a set-up may reach, and afterwards what checks may. Nothing of it is kept for others to start from.
 */
export async function setUpAgain(judging: Judging, sandbox: Sandbox, execId: string): Promise<void> {
  const { place, project, loop, signal, redact, say } = judging;
  const [during, after] = (["setup", "verify"] as const).map((phase) =>
    phaseNetwork(place, loop, project, phase),
  );
  const timeoutMs = place.config.get("OPENTIGER_SETUP_TIMEOUT");
  const isSame = JSON.stringify(during) === JSON.stringify(after);
  // A sandbox of the policy open has another kind of network, which stays what it is.
  if (
    !during ||
    !after ||
    isSame ||
    sandbox.backend === "host" ||
    during.policy === "open" ||
    after.policy === "open"
  ) {
    await setupIn(sandbox, project, { timeoutMs, execId, signal, say, redact });
    return;
  }
  const blockHost = during.allowHosts.filter((host) => !after.allowHosts.includes(host));
  await changeNetwork(judging, sandbox, { policy: during.policy, allowHost: during.allowHosts });
  await setupIn(sandbox, project, { timeoutMs, execId, signal, say, redact });
  await changeNetwork(judging, sandbox, { policy: after.policy, blockHost });
}

async function changeNetwork(
  { place: { sandboxd } }: Judging,
  { name }: Sandbox,
  body: NetworkChangeRequest,
): Promise<void> {
  const path = `/sandboxes/${encodeURIComponent(name)}/network`;
  await sandboxd.ask({ method: "POST", path, body }, networkSettings);
}
