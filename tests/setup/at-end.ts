import { afterAll } from "vitest";

const actions: (() => unknown)[] = [];

/** Leaves something to be done when the test file is over, the latest first; from anywhere, also within a test. */
export function atEnd(action: () => unknown): void {
  actions.push(action);
}

afterAll(async () => {
  const failures: unknown[] = [];
  for (const action of actions.reverse())
    await Promise.resolve()
      .then(action)
      .catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, "the clean-up of this test file failed");
});
