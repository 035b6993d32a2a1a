import type { SandboxRecord } from "@opentiger/schema";
import { checkName } from "../../../names.ts";
import type { CreateOptions, Sandbox } from "../../../sandbox.ts";
import { openWayOut } from "../container/way-out.ts";
import { discard } from "../discard.ts";
import { dockerSandbox } from "../docker-sandbox.ts";
import { engineExecSandbox } from "../engine-exec/engine-exec-sandbox.ts";
import type { Place } from "../place.ts";
import { type Plan, planSandbox } from "../plan/plan.ts";
import { adoptParked } from "../pool/adopt.ts";
import { claimName, refuseTaken } from "./claim.ts";
import { newRecord, refuseAborted, type Started, startCold } from "./cold.ts";
import { fillClone } from "./fill-clone.ts";

/**
 * Makes a sandbox, or adopts a parked one. The record is written before anything else is made; whatever fails or is
 * cancelled afterwards, at any point, is taken back completely.
 */
export async function createSandbox(
  place: Omit<Place, "facts">,
  facts: Promise<Place["facts"]>,
  options: CreateOptions,
): Promise<Sandbox> {
  refuseAborted(options.signal);
  if (options.name !== undefined) checkName(options.name);
  refuseTaken(place, options.name);
  // Started while the rest is made; whether it is there is found out when it is needed.
  place.outward?.prepare().catch(() => {});
  const plan = await planSandbox(place, facts, options);
  refuseAborted(options.signal);
  const here = { ...place, facts: await facts };
  const started = (await adoptParked(here, plan, options)) ?? (await makeCold(here, plan, options));
  return finish(here, started, plan, options);
}

async function makeCold(place: Place, plan: Plan, options: CreateOptions): Promise<Started> {
  const fresh = newRecord(place, plan);
  return undoing(place, fresh, async () => {
    const workspace = plan.workspaces[0]?.path ?? "sandbox";
    const record = await claimName(place, fresh, { name: options.name, agent: plan.agent, workspace });
    options.onProgress?.(`creating ${record.name} from ${plan.image.reference}`);
    return startCold(place, record, plan, options.signal);
  });
}

async function finish(place: Place, started: Started, plan: Plan, options: CreateOptions): Promise<Sandbox> {
  const { record, container, session } = started;
  return undoing(place, record, async () => {
    const sandbox = session
      ? dockerSandbox(record, place.engine, session)
      : engineExecSandbox(record, container);
    try {
      const repository =
        plan.kind === "clone" && plan.workspaces.length > 0
          ? await fillClone(sandbox, plan, { ...options, there: started.there })
          : null;
      refuseAborted(options.signal);
      const adoptedAt = new Date().toISOString();
      const finished: SandboxRecord = { ...record, state: "adopted", adoptedAt, repository };
      place.state.records.write(finished);
      if (session) await openWayOut(place, finished, session);
      return sandbox;
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  });
}

/** Runs a step, and when it fails removes all there is of the sandbox. What cannot be removed now, prune finds. */
async function undoing<T>(place: Place, record: SandboxRecord, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const latest = place.state.records.read(record.id);
    if (latest)
      await discard(place, latest).catch((left: unknown) =>
        place.warn(`not all was removed: ${String(left)}`),
      );
    throw error;
  }
}
