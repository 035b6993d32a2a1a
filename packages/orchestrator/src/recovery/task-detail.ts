import { firstCharacters, type ReworkPoint, type TaskFailure } from "@opentiger/schema";
import { sentence } from "../wording.ts";
import type { Next } from "./decide.ts";

/** So much is told of what was found: the rest is in the run's artifacts. */
const toldPoints = 10;
const pointLength = 400;

export interface TaskDetail {
  failure: TaskFailure;
  next: Next;
  points: readonly ReworkPoint[];
  runs: number;
  /** Who worked on it last. */
  agent: string | null;
}

/**
 * What a person reads about a task that failed: what happened, what follows by itself, and where nothing does,
 * everything that it takes to decide what to do.
 */
export function taskDetail({ failure, next, points, runs, agent }: TaskDetail): string {
  if (next.by !== "give_up") return `${sentence(failure.message)} ${follows(next)}`;
  const lines = [
    [sentence(failure.message), next.why].filter(Boolean).join(" "),
    ...points
      .slice(0, toldPoints)
      .map((point) => `- ${place(point)}${firstCharacters(point.text, pointLength)}`),
    ...(points.length > toldPoints ? [`- and ${points.length - toldPoints} more`] : []),
    [sentence(failure.remedy), history(runs, agent)].filter(Boolean).join(" "),
  ];
  return lines.join("\n");
}

function history(runs: number, agent: string | null): string {
  if (agent === null) return "";
  return runs === 1
    ? `It has had one run, by ${agent}.`
    : `It has had ${runs} runs, the last one by ${agent}.`;
}

function place({ file, line }: ReworkPoint): string {
  if (file === null) return "";
  return line === null ? `${file}: ` : `${file}:${line}: `;
}

function follows(next: Exclude<Next, { by: "give_up" }>): string {
  if ("pauseLoop" in next && next.pauseLoop) return "The loop is paused until there is budget again.";
  switch (next.by) {
    case "wait_for_quota":
      return `It goes on at ${next.at.toISOString()}.`;
    case "reject":
      return next.agent === null ? "It is worked on again." : `${next.agent} works on it now.`;
    case "rejudge":
      return next.at === null ? "It is judged again." : `It is judged again at ${next.at.toISOString()}.`;
    case "again":
      if (next.agent !== null) return `${next.agent} tries it now.`;
      return next.at === null ? "It is tried again." : `It is tried again at ${next.at.toISOString()}.`;
  }
}
