import type { SandboxRecord } from "@opentiger/schema";
import { SandboxError } from "../../../errors.ts";
import type { Sandbox } from "../../../sandbox.ts";
import { newRecord, startCold } from "../create/cold.ts";
import { discard } from "../discard.ts";
import { dockerSandbox } from "../docker-sandbox.ts";
import type { Place } from "../place.ts";
import type { Plan } from "../plan/plan.ts";
import { prepared } from "./adopt.ts";
import { offer, withdraw } from "./tokens.ts";

/** What is said of a sandbox only when it is adopted. */
export const nothingYet = {
  workspaces: [],
  repositories: [],
  mounts: [],
  source: undefined,
  start: undefined,
  env: {},
  labels: {},
} as const;

interface ParkOptions {
  key: string;
  signal?: AbortSignal | undefined;
  /** Makes the clone that it is to wait with. */
  fill?: (sandbox: Sandbox) => Promise<SandboxRecord["repository"]>;
}

const parkedPrefix = "parked-";

/** Whether it is called as those are that were made to be parked, and that nobody has adopted. */
export function isParkedName(name: string): boolean {
  return name.startsWith(parkedPrefix);
}

/** Makes one sandbox and puts it on offer. Whatever fails in between, nothing of it is left. */
export async function park(place: Place, plan: Plan, { key, signal, fill }: ParkOptions): Promise<void> {
  const bare: Plan = { ...plan, ...nothingYet };
  const fresh = newRecord(place, bare);
  const record = { ...fresh, name: `${parkedPrefix}${fresh.id}` };
  place.state.records.write(record);
  try {
    const started = await startCold(place, record, bare, signal);
    try {
      const repository =
        fill && started.session
          ? await fill(dockerSandbox(record, place.engine, await prepared(started.session, plan)))
          : null;
      place.state.records.write({ ...started.record, state: "parked", repository });
    } finally {
      await started.session?.close();
    }
    offer(place.state, key, record.id);
  } catch (error) {
    withdraw(place.state, record.id);
    await discard(place, place.state.records.read(record.id) ?? record);
    throw error;
  }
}

export function noSupervisor({ image }: Plan): SandboxError {
  return new SandboxError(
    "unsupported",
    `sandboxes of ${image.reference} cannot be parked: it has no supervisor`,
    {
      remedy: "use an image with node 18 or newer and setpriv, best one made from opentiger/worker",
    },
  );
}
