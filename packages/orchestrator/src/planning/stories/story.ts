import { type PlannedTask, plannedTask, projectFile, taskRisks, taskRoles } from "@opentiger/schema";
import { z } from "zod";

const { key, title, instructions, needs, allowedPaths, mayChange, estimate } = plannedTask.shape;

/** A list of one may be written without being a list. */
function orOne<T>(list: z.ZodType<T[]>): z.ZodType<T[]> {
  return z.preprocess((written) => (typeof written === "string" ? [written] : written), list);
}

/** A story as people write it: a title is enough. A word that is not known is refused: it would be a silent default. */
export const story = z.strictObject({
  key: key.optional(),
  title: z.string().trim().pipe(title),
  role: z.enum(taskRoles).default("worker"),
  instructions: instructions.optional(),
  needs: orOne(needs).default([]),
  allowedPaths: orOne(allowedPaths).default([]),
  mayChange: orOne(mayChange).default([]),
  verify: orOne(projectFile.shape.verify.unwrap()).default([]),
  risk: z.enum(taskRisks).default("medium"),
  estimate: estimate.default(null),
});
export type Story = z.infer<typeof story>;

/** What a plan has to say and a story need not is filled in. It may need others by their titles. */
export function tasksOf(stories: readonly Story[], done: ReadonlySet<string>): PlannedTask[] {
  const keys = stories.map(({ key: own, title: words }, index) => {
    return own ?? (keyOf(words) || `story-${index + 1}`);
  });
  const byTitle = new Map(stories.map(({ title: words }, index) => [words, keys[index] ?? words]));
  return stories.map((each, index) => ({
    ...each,
    key: keys[index] ?? each.title,
    instructions: each.instructions ?? each.title,
    needs: each.needs.filter((need) => !done.has(need)).map((need) => byTitle.get(need) ?? need),
  }));
}

/** As long as a key may be. */
const longestKey = 64;

/** The words of the title, as the key of a story that has none of its own. Empty where it has none of our letters. */
export function keyOf(words: string): string {
  const plain = words
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "");
  return plain.slice(0, longestKey).replace(/-+$/, "");
}
