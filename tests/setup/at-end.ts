const actions: (() => unknown)[] = [];

/** Leaves something to be done when the test file is over, the latest first; from anywhere, also within a test. */
export function atEnd(action: () => unknown): void {
  actions.push(action);
}

/** Does what was left to be done. One that fails does not keep the others from it. */
export async function endFile(): Promise<void> {
  const failures: unknown[] = [];
  for (const action of actions.splice(0).reverse())
    await Promise.resolve()
      .then(action)
      .catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, "the clean-up of this test file failed");
}
