import { backendNames, execExit, tokenCount } from "@opentiger/schema";
import { z } from "zod";

const at = z.number().int().nonnegative();
const bytes = z.number().int().nonnegative();

/** The first record: what another process must know to take the run over. No prompt and no variable is in it. */
export const runRecord = z.object({
  kind: z.literal("run"),
  version: z.literal(1),
  id: z.string(),
  execId: z.string(),
  driver: z.string(),
  startedAt: at,
  place: z.object({ backend: z.enum(backendNames), cwd: z.string(), home: z.string(), folder: z.string() }),
  session: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("new"), id: z.string() }),
    z.object({ kind: z.literal("resumed"), id: z.string(), used: tokenCount.optional() }),
  ]),
  resumed: z.discriminatedUnion("asked", [
    z.object({ asked: z.literal(false) }),
    z.object({ asked: z.literal(true), done: z.boolean(), reason: z.string().optional() }),
  ]),
});
export type RunRecord = z.infer<typeof runRecord>;

/** stdout and stderr are followed by so many bytes. skipped: stderr that came too fast to be kept. */
export const transcriptRecord = z.discriminatedUnion("kind", [
  runRecord,
  z.object({ kind: z.literal("stdout"), at, bytes }),
  z.object({ kind: z.literal("stderr"), at, bytes }),
  z.object({ kind: z.literal("skipped"), at, bytes }),
  z.object({
    kind: z.literal("stop"),
    type: z.enum(["cancelled", "idle", "timeout", "tool_loop", "max_turns", "overloaded"]),
    message: z.string(),
  }),
  z.object({ kind: z.literal("exit"), at, exit: execExit }),
  /** It became too large: what came after this is missing. */
  z.object({ kind: z.literal("full") }),
]);
export type TranscriptRecord = z.infer<typeof transcriptRecord>;
