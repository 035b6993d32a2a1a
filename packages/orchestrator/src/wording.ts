/** The first of many, and how many more there are: nobody reads a list without end. */
export function firstFew(names: readonly string[], count: number): string[] {
  const rest = names.length - count;
  return [...names.slice(0, count), ...(rest > 0 ? [`${rest} more`] : [])];
}

/** What came from elsewhere may end in the middle of anything. */
export function sentence(words: string): string {
  const whole = words.trim();
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
