/** What a database does not take in a text: the character zero, and halves of pairs. */
const unstorable = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * The text as a database takes it. What agents say and checks print may hold anything, and must not keep what came of them
 * from being written down.
 */
export function storableText(text: string): string {
  return text.replaceAll(unstorable, "\ufffd");
}

/** The value as a parameter that is cast to jsonb, with every text in it as a database takes it. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, held: unknown) => (typeof held === "string" ? storableText(held) : held));
}

/** A parameter of a statement: texts and lists of texts are changed as far as they must be, all else is left alone. */
export function storableParameter(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  return Array.isArray(value) ? value.map(storableParameter) : value;
}
