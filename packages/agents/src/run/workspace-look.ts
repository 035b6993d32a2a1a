import type { Sandbox } from "@opentiger/sandbox";
import { gatewayTimeoutMs, type RunGateway } from "./gateway.ts";
import { inTime } from "./in-time.ts";
import { runInside } from "./inside.ts";

/** A look through a large tree; one that takes longer has seen nothing. */
const lookTimeoutMs = 60_000;

/** Whether a model's byte came, or a file of the workspace changed, since that moment. */
export async function seenSince(
  since: number,
  { sandbox, cwd, gateway }: { sandbox: Sandbox; cwd: string; gateway: RunGateway | undefined },
): Promise<boolean> {
  const asked = gateway?.activity() ?? Promise.resolve({ lastByteAt: null });
  const { lastByteAt } = await inTime(asked, { ms: gatewayTimeoutMs, otherwise: { lastByteAt: null } });
  if (lastByteAt && Date.parse(lastByteAt) > since) return true;
  // As an age, since the clock inside may be another one.
  const seconds = ((Date.now() - since) / 1000).toFixed(3);
  const command = ["find", cwd, "-newermt", `${seconds} seconds ago`, "-print", "-quit"];
  const { stdout } = await runInside(sandbox, command, { timeoutMs: lookTimeoutMs });
  return stdout !== "";
}
