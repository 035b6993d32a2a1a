/** Of a program, as it says it itself: `20.10.24+dfsg1`, `1.4.0-rc.2`, `git version 2.39.5 (Apple Git-154)`. */
export interface Version {
  numbers: readonly [number, number, number];
  /** Of a candidate, which comes before the release of the same numbers. */
  candidate: number | undefined;
}

export function parseVersion(text: string): Version | undefined {
  const match = /(\d+)\.(\d+)(?:\.(\d+))?(?:-rc\.?(\d+))?/.exec(text);
  if (!match) return undefined;
  const [, major, minor, patch = "0", candidate] = match;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    candidate: candidate === undefined ? undefined : Number(candidate),
  };
}

export function isBefore(one: Version, other: Version): boolean {
  for (const [index, number] of one.numbers.entries()) {
    const against = other.numbers[index] ?? 0;
    if (number !== against) return number < against;
  }
  return (one.candidate ?? Number.POSITIVE_INFINITY) < (other.candidate ?? Number.POSITIVE_INFINITY);
}

/** Distributions mend holes without changing the number that counts here. */
export function isDistributionBuild(text: string): boolean {
  return /[+~]|deb|ubuntu|\.el\d|\.fc\d|amzn|suse/i.test(text);
}
