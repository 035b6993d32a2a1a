/** What a text says in JSON; undefined where it is none: no JSON means that. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
