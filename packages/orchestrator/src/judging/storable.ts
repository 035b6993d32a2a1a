/** What a database does not take in a text: the character zero, and halves of pairs. */
const unstorable = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * The same value with every text in it as a database takes it. What checks print and models say may hold anything, and
 * must not keep a judgement from being written down.
 */
export function storable<T>(value: T): T {
  const text = JSON.stringify(value, (_, held: unknown) =>
    typeof held === "string" ? held.replaceAll(unstorable, "\ufffd") : held,
  );
  // The same shape: only characters within texts were replaced.
  return JSON.parse(text) as T;
}
