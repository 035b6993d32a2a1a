/** How many milliseconds each unit of a time has, the smallest first. */
export const durationUnits = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** How many bytes each unit of a size has, always in powers of 1024, the smallest first. */
export const sizeUnits = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 } as const;

/**
 * The milliseconds of `90`, `90s`, `1.5m`, `2h`, `7d` or `500ms`: a number without a unit is seconds, as `timeout(1)` has
 * it. undefined: it is no time, or none that is longer than nothing.
 */
export function durationOf(text: string): number | undefined {
  const [, count, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/i.exec(text) ?? [];
  return product(count, durationUnits, unit);
}

/** The bytes of `512m`, `2g`, `1.5GiB` or `1048576`, as docker writes sizes. undefined: it is no size, or nothing. */
export function sizeOf(text: string): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(?:b|([kmgt])(?:i?b)?)?$/i.exec(text) ?? [];
  return product(count, sizeUnits, unit ?? "b");
}

function product(
  count: string | undefined,
  units: Readonly<Record<string, number>>,
  unit: string,
): number | undefined {
  const value = Math.round(Number(count) * (units[unit.toLowerCase()] ?? Number.NaN));
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
