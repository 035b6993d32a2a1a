import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckRound } from "@opentiger/schema";
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
  const { evidence, judgement, points } = conclusion;
  const answers = { judgement, points, ...evidence, rounds: undefined };
  return [
    ...(evidence.rounds.length === 0
      ? []
      : [
          await written(judging, {
            kind: "log",
            name: "checks.log",
            text: evidence.rounds.map(logOf).join("\n"),
          }),
        ]),
    await written(judging, {
      kind: "judgement",
      name: "judgement.json",
      text: JSON.stringify(answers, null, 2),
    }),
  ];
}

async function written(
  { place, journal, redact }: Keeping,
  { kind, name, text }: { kind: string; name: string; text: string },
): Promise<WrittenArtifact> {
  const most = place.config.get("OPENTIGER_ARTIFACT_SIZE");
  const content = Buffer.from(redact(text)).subarray(0, most);
  const path = join(journal.folder, name);
  await mkdir(journal.folder, { recursive: true, mode: 0o700 });
  await writeFile(path, content, { mode: 0o600 });
  return { kind, path, bytes: content.length };
}

function logOf({ tree, commit, results }: CheckRound): string {
  const lines = results.map(({ command, test, result, exitCode, output, durationMs }) => {
    const status = exitCode === null ? "" : `, status ${exitCode}`;
    const head = `${result}: ${test ?? command}${status}, ${Math.round(durationMs)} ms`;
    return test === null || result !== "passed" ? `${head}\n${output.trimEnd()}\n` : head;
  });
  return [`# ${tree} ${commit}`, ...lines, ""].join("\n");
}
