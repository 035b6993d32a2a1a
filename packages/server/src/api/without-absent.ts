/** Absent and undefined are the same in JSON, and not for the functions that are called with it. */
export function withoutAbsent<T extends object>(given: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  // Only keys whose value is undefined are left out, which the type says of each key by itself.
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], undefined>;
  };
}
