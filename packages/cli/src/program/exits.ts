/**
 * The statuses of commands whose answer is a status, beside those of errors, which stand in `errorCodes` of the schema
 * package. docs/cli.md has both in one table.
 */
export const exits = {
  /** As asked for: a loop is done, a login is good, nothing is wrong. */
  good: 0,
  /** The answer is no: a loop has failed, a login is not good, the server does not run, something is wrong. */
  negative: 1,
  /** A loop was cancelled. */
  cancelled: 2,
  /** A plan waits for approval. */
  awaitingApproval: 3,
  /** A loop is paused. */
  paused: 4,
  /** Left by Ctrl-C; what was watched goes on. */
  detached: 130,
} as const;
