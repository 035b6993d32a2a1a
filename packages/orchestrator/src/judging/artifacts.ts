import { join } from "node:path";
import type { CheckRound } from "@opentiger/schema";
import { keepJson, keepText } from "../stage/artifact-file.ts";
import type { Conclusion } from "./conclusion.ts";
import type { Judging } from "./judging.ts";

export interface WrittenArtifact {
  kind: string;
  path: string;
  bytes: number;
}

type Keeping = Pick<Judging, "place" | "journal" | "redact">;

/** Keeps what the judge saw and said, for people: the log of the checks, and the answers. */
export async function writeArtifacts(judging: Keeping, conclusion: Conclusion): Promise<WrittenArtifact[]> {
  const { place, journal, redact } = judging;
  const { evidence, judgement, points } = conclusion;
  const most = place.config.get("OPENTIGER_ARTIFACT_SIZE");
  const written: WrittenArtifact[] = [];
  if (evidence.rounds.length > 0) {
    const path = join(journal.folder, "checks.log");
    const text = redact(evidence.rounds.map(logOf).join("\n"));
    written.push({ kind: "log", path, bytes: await keepText(path, text, most) });
  }
  const path = join(journal.folder, "judgement.json");
  const answers = redacted({ judgement, points, ...evidence, rounds: undefined }, redact);
  written.push({ kind: "judgement", path, bytes: await keepJson(path, answers, most) });
  return written;
}

/** Every text by itself, and before any is cut: half of a secret would not be known again. */
function redacted(value: unknown, redact: (text: string) => string): unknown {
  const each = (_key: string, part: unknown) => (typeof part === "string" ? redact(part) : part);
  return JSON.parse(JSON.stringify(value, each));
}

function logOf({ tree, commit, results }: CheckRound): string {
  const lines = results.map(({ command, test, result, exitCode, output, durationMs }) => {
    const status = exitCode === null ? "" : `, status ${exitCode}`;
    const head = `${result}: ${test ?? command}${status}, ${Math.round(durationMs)} ms`;
    return test === null || result !== "passed" ? `${head}\n${output.trimEnd()}\n` : head;
  });
  return [`# ${tree} ${commit}`, ...lines, ""].join("\n");
}
