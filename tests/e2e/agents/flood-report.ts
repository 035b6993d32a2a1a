import { z } from "zod";

/** What a process that follows floods is told. */
export const floodAsked = z.object({
  backend: z.enum(["host", "docker"]),
  sandbox: z.string(),
  cwd: z.string(),
  /** A folder for transcripts. */
  folder: z.string(),
  /** For node, which every image has. */
  scripts: z.array(z.string()),
});

/** What it says of each run. */
export const floodRead = z.object({
  ok: z.boolean(),
  events: z.number(),
  texts: z.number(),
  /** Whether the events were numbered without a gap. */
  whole: z.boolean(),
  longest: z.number(),
  last: z.string().nullable(),
  /** The most that this process had so far, in MB. */
  peak: z.number(),
});

export type FloodAsked = z.infer<typeof floodAsked>;
export type FloodRead = z.infer<typeof floodRead>;
