import { soak } from "./soak.ts";

/**
 * Every case with every one of them in `npm run soak`. Else every case once, and they take turns: `turns` may leave out
 * one that takes long, or name a quick one more often. Whom `turns` names has a case as soon as there are enough.
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
