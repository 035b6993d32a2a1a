import {
  type JudgementEvidence,
  type JudgementWord,
  judgementWord,
  type ReworkPoint,
} from "@opentiger/schema";
import { z } from "zod";

/** What the model answers for one piece. The worst word comes first, so that no default of anybody's is a pass. */
export const opinion = z.object({
  judgement: z.enum(["inconclusive", "fail", "pass"]),
  summary: z.string(),
  points: z.array(
    z.object({ file: z.string().nullable(), line: z.number().int().nullable(), text: z.string() }),
  ),
});
export type Opinion = z.infer<typeof opinion>;

/** The same of which files, as it is kept. */
export const keptOpinion = opinion.extend({ judgement: judgementWord, files: z.array(z.string()) });
export type KeptOpinion = z.infer<typeof keptOpinion>;

/** One word of all of them: any fail is a fail, anything inconclusive is inconclusive, and so is no opinion at all. */
export function together(opinions: readonly Pick<KeptOpinion, "judgement">[]): JudgementWord {
  const words = new Set(opinions.map(({ judgement }) => judgement));
  if (words.has("fail")) return "fail";
  return words.size === 1 && words.has("pass") ? "pass" : "inconclusive";
}

/** What the worker is told: the points of those that fail; one without points has its summary for one. */
export function pointsOf(opinions: readonly KeptOpinion[]): ReworkPoint[] {
  return opinions
    .filter(({ judgement }) => judgement === "fail")
    .flatMap(({ points, summary, files }): ReworkPoint[] => {
      if (points.length > 0) return points.map((point) => ({ by: "judge", ...point }));
      const [file = null, ...others] = files;
      return [{ by: "judge", file: others.length === 0 ? file : null, line: null, text: summary }];
    });
}

/** As the judgement has them. */
export function opinionsAsEvidence(opinions: readonly KeptOpinion[]): JudgementEvidence["opinions"] {
  return opinions.map(({ files, judgement, summary }) => ({ files, judgement, summary }));
}
