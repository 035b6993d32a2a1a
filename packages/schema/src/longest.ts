/** Apart from the shapes that use them: pages need the numbers, and not what checks shapes. */

/** A message: as much as anybody writes by hand; what is longer belongs into a file of the repository. */
export const longestMessage = 20_000;

/** What a task is to do. */
export const longestInstructions = 50_000;

/** Checks of one task, besides those of the project. */
export const mostVerifyCommands = 20;
