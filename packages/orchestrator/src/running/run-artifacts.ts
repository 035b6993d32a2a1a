import { join } from "node:path";
import type { CheckRound } from "@opentiger/schema";
import { runFolder } from "../agent/run-files.ts";
import { keepText } from "../stage/artifact-file.ts";
import type { NewArtifact } from "../state/artifacts.ts";
import { checkName } from "../verifying/compare.ts";
import type { Work } from "./work.ts";

export interface ArtifactParts {
  /** From where to where it is shown; absent where nothing was collected. */
  diff?: { from: string; to: string };
  round?: CheckRound;
}

type Kept = Pick<Work, "place" | "repository" | "redact"> & { run: Pick<Work["run"], "id"> };

/** What is kept of a run for people to read, beside its transcript, in its folder: redacted, within the bound, for the owner alone. */
export async function writeArtifacts(work: Kept, { diff, round }: ArtifactParts): Promise<NewArtifact[]> {
  const { place, run, repository, redact } = work;
  const maxBytes = place.config.get("OPENTIGER_ARTIFACT_SIZE");
  const folder = runFolder(place, run);
  const keepMs = place.config.get("OPENTIGER_ARTIFACT_TIME");
  const written: NewArtifact[] = [];
  const write = async (kind: string, name: string, text: string): Promise<void> => {
    const path = join(folder, name);
    written.push({ run: run.id, kind, path, bytes: await keepText(path, redact(text), maxBytes), keepMs });
  };
  if (diff) await write("diff", "diff.patch", (await repository.diff(diff.from, diff.to, { maxBytes })).text);
  if (round && round.results.length > 0) await write("log", "verify.log", logOf(round));
  return written;
}

function logOf({ results }: CheckRound): string {
  return results
    .map((result) => {
      const status = result.exitCode === null ? "" : ` (${result.exitCode})`;
      return `$ ${checkName(result)}\n${result.output.trimEnd()}\n${result.result}${status}\n`;
    })
    .join("\n");
}
