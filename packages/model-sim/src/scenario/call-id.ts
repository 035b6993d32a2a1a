import { createHash } from "node:crypto";

/** Which step of the scenario a tool call belongs to, and which call of that step it is. */
export interface CallPlace {
  step: number;
  call: number;
}

/**
 * The id of a tool call tells where the scenario stood. CLIs send it back as it is, so that the next step follows from
 * the conversation alone: after a retry, a resume, or a restart of ours.
 */
export function callId(session: string, { step, call }: CallPlace): string {
  const mark = createHash("sha256").update(session).digest("hex").slice(0, 8);
  return `call_${step}_${call}_${mark}`;
}

/** undefined for a call that was not made here. */
export function placeOf(id: string): CallPlace | undefined {
  const match = /^call_(\d+)_(\d+)_[0-9a-f]{8}$/.exec(id);
  return match ? { step: Number(match[1]), call: Number(match[2]) } : undefined;
}
