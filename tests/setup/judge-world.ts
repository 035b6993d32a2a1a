import { answer, type ScenarioInput } from "@opentiger/model-sim";
import {
  type JudgedLoopOptions,
  TemporaryJudgedLoop,
} from "../../packages/orchestrator/src/fixture/temporary-judged-loop.ts";
import { judgeStage } from "../../packages/orchestrator/src/judging/judge-stage.ts";
import type { Opinion } from "../../packages/orchestrator/src/judging/opinion.ts";
import { type JudgementRow, listJudgements } from "../../packages/orchestrator/src/state/judgements.ts";
import { atEnd } from "./at-end.ts";
import { type LoopWorld, loopWorld } from "./loop-world.ts";

/** What the judge's model was shown. */
export interface JudgeQuestion {
  prompt: string;
  /** What of it stands between the marks: a piece of the change. */
  piece: string;
}

export interface JudgeWorld {
  world: LoopWorld;
  /** All questions so far, the oldest first. */
  asked: JudgeQuestion[];
  /** What the model does from now on; at first it passes everything. */
  answerWith(next: (question: JudgeQuestion) => Opinion | ScenarioInput): void;
  begin(options: JudgedLoopOptions): Promise<TemporaryJudgedLoop>;
  /** Judges a task that waits for it. The judgement, where one was written. */
  judge(loop: TemporaryJudgedLoop, number?: number, signal?: AbortSignal): Promise<JudgementRow | undefined>;
}

/** The whole of openTiger, with a scripted model for the judge, and candidates that were made by hand. */
export async function judgeWorld(): Promise<JudgeWorld> {
  const asked: JudgeQuestion[] = [];
  let next: (question: JudgeQuestion) => Opinion | ScenarioInput = () => passing;
  const world = await loopWorld([
    ({ prompt }) => {
      if (!prompt.includes("You are the judge of one change")) return undefined;
      const question = { prompt, piece: pieceOf(prompt) };
      asked.push(question);
      const said = next(question);
      return "steps" in said ? said : { steps: [answer(said)] };
    },
  ]);
  return {
    world,
    asked,
    answerWith: (answerer) => {
      next = answerer;
    },
    begin: async (options) => {
      const loop = await TemporaryJudgedLoop.begin(world.place, options);
      atEnd(() => loop.remove());
      return loop;
    },
    judge: async (loop, number = 1, signal = new AbortController().signal) => {
      const { id } = await loop.task(number);
      const { items: before } = await listJudgements(world.place.database, { task: id, limit: 500 });
      await judgeStage(world.place, await loop.claim(number), signal);
      const { items } = await listJudgements(world.place.database, { task: id, limit: 500 });
      return items.length > before.length ? items.at(-1) : undefined;
    },
  };
}

export const passing: Opinion = { judgement: "pass", summary: "It does what was asked.", points: [] };

export function failing(text: string, file: string | null = null): Opinion {
  return { judgement: "fail", summary: text, points: [{ file, line: null, text }] };
}

function pieceOf(prompt: string): string {
  const [mark = "\n"] = /^----- [0-9a-f]{32} -----$/m.exec(prompt) ?? [];
  return prompt.split(`\n${mark}\n`).at(-2) ?? "";
}
