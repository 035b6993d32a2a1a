const steps = [
  { unit: "d", ms: 86_400_000 },
  { unit: "h", ms: 3_600_000 },
  { unit: "m", ms: 60_000 },
  { unit: "s", ms: 1000 },
] as const;

/** How long ago, in the largest unit that fits: `3d`, `5h`, `12m`, `40s`. A clock that runs behind gives `0s`. */
export function age(since: Date, now: Date): string {
  const elapsed = Math.max(0, now.getTime() - since.getTime());
  const step = steps.find(({ ms }) => elapsed >= ms);
  return step ? `${Math.floor(elapsed / step.ms)}${step.unit}` : "0s";
}
