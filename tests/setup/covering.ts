import { soak } from "./soak.ts";

/**
 * Pairs of a case and one of several, such as agents, with which it is to be run. In `npm run soak` every case is run with
 * all of them. Otherwise each case is run with one, and they take turns in the order of `turns`, which may leave out one
 * that takes long, or name a quick one more often.
 */
export function covering<Case, One>(
  cases: readonly Case[],
  all: readonly One[],
  turns: readonly NoInfer<One>[] = all,
  full: boolean = soak,
): [Case, One][] {
  if (full) return cases.flatMap((each) => all.map((one): [Case, One] => [each, one]));
  const inTurn = Array.from({ length: cases.length }, () => turns).flat();
  return cases.map((each, index) => {
    const one = inTurn[index];
    if (one === undefined) throw new Error("there is nobody to take a turn");
    return [each, one];
  });
}
