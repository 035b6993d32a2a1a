import { randomUUID } from "node:crypto";
import type { LaunchPlace, SessionRequest } from "../driver.ts";
import { KeptSessions } from "./kept-sessions.ts";
import type { RunRequest } from "./request.ts";
import type { RunRecord } from "./transcript-record.ts";

export interface ResumedSession {
  resumed: RunRecord["resumed"];
  /** What the CLI is started with: a new one where the old one cannot be gone on with. */
  session: SessionRequest;
}

/**
 * Whether the conversation that was asked for can be gone on with here. One that the sandbox does not have is put there,
 * from what is kept outside; where there is nothing to put, the reason is told.
 */
export async function resumption(
  { task: { session }, driver, sandbox, sessions }: RunRequest,
  place: LaunchPlace,
): Promise<ResumedSession> {
  if (session.kind === "new") return { resumed: { asked: false }, session };
  const { id } = session;
  if (!driver.abilities.resume || !driver.session)
    return fresh(`${driver.title} cannot resume a conversation`);
  const there = await driver.session.save(sandbox, place, id);
  const kept =
    there ?? (sessions === undefined ? undefined : await new KeptSessions(sessions).load(driver.name, id));
  if (!kept) return fresh(`the conversation ${id} is neither in the sandbox nor kept outside`);
  try {
    if (!there) await driver.session.restore(sandbox, place, id, kept);
  } catch (error) {
    return fresh(`the conversation ${id} could not be put back: ${String(error)}`);
  }
  const used = driver.session.used?.(kept);
  return {
    resumed: { asked: true, done: true },
    session: { kind: "resumed", id, ...(used ? { used } : {}) },
  };
}

function fresh(reason: string): ResumedSession {
  return { resumed: { asked: true, done: false, reason }, session: { kind: "new", id: randomUUID() } };
}
