import type { AnswerSchema } from "../driver.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Claude Code takes a schema as an argument only; it is nothing secret. One with a word that it does not know it drops
 * without telling anybody, and the model is asked for nothing. So it gets what it knows, and we check the answer by all.
 */
export function answerArguments({ jsonSchema }: AnswerSchema): string[] {
  return ["--json-schema", JSON.stringify(known(jsonSchema))];
}

const plainWords = new Set(
  `type enum const required $ref title description default
   minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern
   minItems maxItems uniqueItems minProperties maxProperties`.split(/\s+/),
);
const wordsWithSchemas = new Set(["items", "additionalProperties", "anyOf", "oneOf", "allOf", "not"]);
const wordsWithNames = new Set(["properties", "$defs", "definitions"]);

function known(schema: Schema): Schema {
  // What stands beside it in `items` is meant for the rest of the list.
  const left = "prefixItems" in schema ? omitItems(schema) : schema;
  const entries = Object.entries(left).flatMap(([word, value]): [string, unknown][] => {
    if (plainWords.has(word)) return [[word, value]];
    if (wordsWithSchemas.has(word)) return [[word, knownIn(value)]];
    if (!wordsWithNames.has(word) || !isSchema(value)) return [];
    return [[word, Object.fromEntries(Object.entries(value).map(([name, held]) => [name, knownIn(held)]))]];
  });
  return Object.fromEntries(entries);
}

function knownIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(knownIn);
  return isSchema(value) ? known(value) : value;
}

function omitItems({ items: _items, ...rest }: Schema): Schema {
  return rest;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
