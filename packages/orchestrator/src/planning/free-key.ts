/** As long as a key may be. */
export const longestKey = 64;

/** This key, or where somebody has it already the same with a number. */
export function freeKey(wanted: string, taken: ReadonlySet<string>): string {
  let key = wanted;
  for (let number = 2; taken.has(key); number++) {
    const end = `-${number}`;
    key = `${wanted.slice(0, longestKey - end.length)}${end}`;
  }
  return key;
}
