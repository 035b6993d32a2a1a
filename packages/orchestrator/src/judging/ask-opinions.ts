import { createHash, randomUUID } from "node:crypto";
import type { AgentOutcome } from "@opentiger/agents";
import type { TaskFailure } from "@opentiger/schema";
import { z } from "zod";
import { askAgent } from "../agent/ask.ts";
import { authenticate } from "../agent/credentials.ts";
import { usedIn } from "../agent/used.ts";
import { taskFailureOf } from "../recovery/task-failures.ts";
import { saidBefore } from "../running/said-before.ts";
import { findRun, noteRun } from "../state/runs.ts";
import { firstFew } from "../wording.ts";
import type { Checked } from "./check-candidate.ts";
import type { Judging } from "./judging.ts";
import { type KeptOpinion, keptOpinion, opinion } from "./opinion.ts";
import { withOwnSandbox } from "./own-sandbox.ts";
import { cutIntoPieces } from "./pieces.ts";
import { judgeRules, questionOf } from "./prompt.ts";
import type { ShownChange } from "./shown-change.ts";

export interface Asked {
  opinions: KeptOpinion[];
  /** Why the model gave no opinion on one of the pieces; the others were not asked for then. */
  failure: TaskFailure | null;
}

/** Troubles of the machine or the account, which have rules of their own; all others mean that it cannot be judged. */
const ownRules: ReadonlySet<string> = new Set(["auth", "quota", "overloaded", "network", "policy", "budget"]);

/**
 * Shows the whole change to the judge's model, piece by piece, each in a conversation of its own, and asks for an opinion.
 * It looks at the repository in a sandbox in which nothing of the candidate has run. What is known is not asked again.
 */
export async function askOpinions(
  judging: Judging,
  { commit, change, checked }: { commit: string; change: ShownChange; checked: Checked },
): Promise<Asked> {
  const { place, loop, lease, judgeRun, choice, task, journal, signal } = judging;
  const pieces = cutIntoPieces(change.diffs);
  const said = await saidBefore(place.database, { id: task.id, rework: null });
  // Made when the checks are done, and told to no sandbox in which they ran.
  const secret = await journal.step("marks", z.string(), async () => randomUUID());
  const asked: Asked = { opinions: [], failure: null };
  await withOwnSandbox(
    judging,
    { part: "model", commit, phase: "run", execs: `run-${judgeRun.id}` },
    async (sandbox) => {
      await authenticate(place, sandbox);
      asked.opinions = [];
      for (const [index, piece] of pieces.entries()) {
        const number = index + 1;
        const known = await journal.known(`opinion-${number}`, keptOpinion);
        if (known) {
          asked.opinions.push(known);
          continue;
        }
        const mark = markOf(secret, number);
        const answer = await askAgent(place, {
          lease,
          loop,
          run: judgeRun,
          choice,
          sandbox,
          systemPrompt: judgeRules,
          prompt: questionOf({
            task,
            said,
            overview: change.overview,
            rounds: checked.rounds,
            notes: [...checked.notes, ...redBeforeWords(checked.redBefore)],
            piece,
            number,
            count: pieces.length,
            mark,
          }),
          schema: opinion,
          instructions: [],
          // What stands in this tree is the candidate's.
          projectSettings: "ignored",
          name: `piece-${number}`,
          timeoutMs: place.config.get("OPENTIGER_JUDGE_TIMEOUT"),
          signal,
        });
        await noteUsage(judging, answer.outcomes);
        if (!answer.ok) {
          asked.failure = failureOf(answer.failure);
          return;
        }
        const kept = { ...answer.answer, files: piece.files };
        asked.opinions.push(await journal.step(`opinion-${number}`, keptOpinion, async () => kept));
      }
    },
  );
  return asked;
}

/** The rounds show it as red, and say nothing of whose doing that is. */
function redBeforeWords(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`red before the change already, and so no evidence: ${firstFew(names, namedChecks).join(", ")}`];
}

/** As many as a round shows. */
const namedChecks = 20;

/** All pieces are one run: what is said of this one comes to what is known of those before. */
async function noteUsage(
  { place, lease, judgeRun }: Judging,
  outcomes: readonly AgentOutcome[],
): Promise<void> {
  const { tokens, usd } = (await findRun(place.database, judgeRun.id)) ?? judgeRun;
  await noteRun(place.database, lease, judgeRun.id, usedIn(outcomes, { tokens, usd }));
}

/**
 * Neither who wrote the candidate nor its code, which runs in the checks and may know the judge's run by the names of its
 * execs, can know it. The same for whoever goes on with the question.
 */
function markOf(secret: string, number: number): string {
  const digest = createHash("sha256").update(`${secret} ${number}`).digest("hex").slice(0, 32);
  return `----- ${digest} -----`;
}

function failureOf({ type, message, remedy, until }: TaskFailure): TaskFailure {
  if (ownRules.has(type)) return { type, message, remedy, until };
  return taskFailureOf("inconclusive", `the judge's agent gave no judgement (${type}): ${message}`, {
    remedy,
  });
}
