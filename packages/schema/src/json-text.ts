/**
 * What a text says in JSON; undefined where it is none: no JSON means that. Nothing is thrown, since the message of a
 * parser quotes what it could not parse.
 */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
