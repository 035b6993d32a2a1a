/** The times of one thing, in milliseconds. */
export interface Series {
  name: string;
  p50: number;
  p95: number;
  runs: number;
  failures: number;
}

/** One thing to measure; it may prepare before and clean up after, outside the clock. */
export interface Subject {
  name: string;
  before?: () => Promise<void>;
  run: () => Promise<void>;
  after?: () => Promise<void>;
}

/**
 * Measures the subjects in turns, one round after the other, so that whatever the machine does besides falls on all
 * of them alike. Only ratios within one such run mean anything.
 */
export async function sideBySide(
  subjects: readonly Subject[],
  rounds: number,
  warmUp = 1,
): Promise<Series[]> {
  const times = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  const failures = new Map<string, number>();
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const subject of subjects) {
      await subject.before?.();
      const start = performance.now();
      try {
        await subject.run();
        if (round >= 0) times.get(subject.name)?.push(performance.now() - start);
      } catch (error) {
        if (round >= 0) failures.set(subject.name, (failures.get(subject.name) ?? 0) + 1);
        process.stderr.write(`${subject.name}: ${String(error)}\n`);
      }
      await subject.after?.();
    }
  }
  return subjects.map(({ name }) => summarise(name, times.get(name) ?? [], failures.get(name) ?? 0));
}

export function summarise(name: string, times: readonly number[], failures = 0): Series {
  const sorted = [...times].sort((a, b) => a - b);
  return { name, p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), runs: sorted.length, failures };
}

/** The nearest rank: a value that was really measured. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
