import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SandboxError } from "@opentiger/sandbox";
import { opentigerVersion } from "@opentiger/schema";
import { z } from "zod";
import { isBefore, parseVersion } from "../doctor/versions.ts";

/** The parts of a backup, each an archive of its own in it. */
export const parts = { state: "state.tar", database: "database.tar" } as const;
export const manifestFile = "manifest.json";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** What a backup says of itself, in front of everything else. */
export const manifest = z.object({
  format: z.literal(1),
  opentiger: z.string(),
  createdAt: z.iso.datetime(),
  instance: z.string().regex(/^[0-9a-f]{20}$/),
  /** The state folder that it was made of. */
  folder: z.string(),
  database: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("embedded") }),
    /** Of the user's own, and not in the backup. */
    z.object({ kind: z.literal("url"), where: z.string() }),
    z.object({ kind: z.literal("none") }),
  ]),
  hashes: z.object({ state: sha256, database: sha256.optional() }),
});
export type Manifest = z.infer<typeof manifest>;

/** Of what was unpacked into this folder. One that a newer openTiger made may hold what this one does not know. */
export function readManifest(folder: string): Manifest {
  const read = manifest.safeParse(readJson(join(folder, manifestFile)));
  if (!read.success) throw invalid("it says nothing of itself that could be understood");
  const [made, own] = [parseVersion(read.data.opentiger), parseVersion(opentigerVersion)];
  if (!made || !own || isBefore(own, made)) {
    throw new SandboxError(
      "database_newer",
      `the backup was made by openTiger ${read.data.opentiger}, and this is ${opentigerVersion}`,
      { remedy: `use openTiger ${read.data.opentiger} or newer; nothing was changed` },
    );
  }
  return read.data;
}

export function invalid(why: string, cause?: unknown): SandboxError {
  return new SandboxError("backup_invalid", `this is not a backup of openTiger's, or it is damaged: ${why}`, {
    remedy: "take another copy of it; nothing was changed",
    cause,
  });
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
