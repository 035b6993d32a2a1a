import {
  mostVerifyCommands,
  type PlannedTask,
  plannedTask,
  taskRisks,
  taskRoles,
  writtenVerify,
} from "@opentiger/schema";
import { z } from "zod";
import { freeKey, longestKey } from "../free-key.ts";

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
  verify: orOne(z.array(writtenVerify).max(mostVerifyCommands)).default([]),
  risk: z.enum(taskRisks).default("medium"),
  estimate: estimate.default(null),
});
export type Story = z.infer<typeof story>;

/** What a plan has to say and a story need not is filled in. It may need others by their titles. */
export function tasksOf(stories: readonly Story[], done: ReadonlySet<string>): PlannedTask[] {
  const keys = keysFor(stories);
  const named = byName(stories);
  return stories.map((each, index) => ({
    ...each,
    key: keys[index] ?? each.title,
    instructions: each.instructions ?? each.title,
    needs: each.needs
      .filter((need) => !done.has(need))
      .map((need) => keys[named.get(need)?.[0] ?? -1] ?? need),
  }));
}

/** What stories need by a name that several have, so that nobody knows which is meant. */
export function unclearNeeds(
  stories: readonly Story[],
  done: ReadonlySet<string>,
): { index: number; need: string }[] {
  const named = byName(stories);
  const isUnclear = (need: string): boolean => (named.get(need)?.length ?? 0) + (done.has(need) ? 1 : 0) > 1;
  return stories.flatMap(({ needs: all }, index) => all.filter(isUnclear).map((need) => ({ index, need })));
}

/** Keys that were given stay as they are; one that is made of a title is another one where somebody has it. */
function keysFor(stories: readonly Story[]): string[] {
  const taken = new Set(stories.flatMap(({ key: own }) => own ?? []));
  return stories.map(({ key: own, title: words }, index) => {
    const called = own ?? freeKey(keyOf(words) || `story-${index + 1}`, taken);
    taken.add(called);
    return called;
  });
}

/** The places of all that a name may mean: the one that was given this key; else whose title it is, or the words of it. */
function byName(stories: readonly Story[]): Map<string, number[]> {
  const named = new Map<string, number[]>();
  for (const [index, { key: own, title: words }] of stories.entries()) {
    for (const name of new Set(own === undefined ? [words, keyOf(words)] : [words])) {
      const places = named.get(name);
      if (places) places.push(index);
      else named.set(name, [index]);
    }
  }
  for (const [index, { key: own }] of stories.entries()) if (own !== undefined) named.set(own, [index]);
  return named;
}

/** The words of the title, as the key of a story that has none of its own. Empty where it has none of our letters. */
export function keyOf(words: string): string {
  const plain = words
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "");
  return plain.slice(0, longestKey).replace(/-+$/, "");
}
