import { z } from "zod";
import { longestMessage } from "./longest.ts";

/** So many comments are one person's look at a diff. */
export const mostComments = 100;

/** An agent has to read all of it at once. */
const longestSentBack = 100_000;

/** What a person says to an agent, or about its work. */
export const messageText = z.string().trim().min(1).max(longestMessage);

/** A word about one line of a diff, by its number in the file as the agent left it. */
export const diffComment = z.strictObject({
  path: z.string().min(1).max(1_000),
  line: z.number().int().positive(),
  text: messageText,
});
export type DiffComment = z.infer<typeof diffComment>;

/** A piece of work sent back: in general, on lines of its diff, or both. */
export const sentBack = z
  .strictObject({
    message: messageText.optional(),
    comments: z.array(diffComment).max(mostComments).default([]),
  })
  .refine(({ message, comments }) => message !== undefined || comments.length > 0, {
    error: "say in a message or in comments what is to be changed",
  })
  .refine(({ message = "", comments }) => total(message, comments) <= longestSentBack, {
    error: `all of it together has at most ${longestSentBack} characters`,
  });
export type SentBack = z.input<typeof sentBack>;

function total(message: string, comments: readonly DiffComment[]): number {
  return comments.reduce((sum, { text }) => sum + text.length, message.length);
}
