import { z } from "zod";

const node = z.looseObject({
  type: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  $defs: z.record(z.string(), z.unknown()).optional(),
});

/** Why OpenAI would not take this as a strict schema: every object names all of its properties, and allows no others. */
export function strictObjection(schema: unknown, at = "()"): string | undefined {
  const read = node.safeParse(schema);
  if (!read.success) return `In context=${at}, this is not a schema.`;
  const {
    type,
    properties = {},
    required = [],
    additionalProperties,
    items,
    anyOf = [],
    $defs = {},
  } = read.data;
  if (type === "object") {
    if (additionalProperties !== false)
      return `In context=${at}, 'additionalProperties' is required to be supplied and to be false.`;
    const missing = Object.keys(properties).find((name) => !required.includes(name));
    if (missing !== undefined)
      return `In context=${at}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  }
  const inner: [string, unknown][] = [
    ...Object.entries(properties),
    ...Object.entries($defs),
    ...anyOf.map((each, index): [string, unknown] => [`anyOf ${index}`, each]),
    ...(items === undefined ? [] : [["items", items] satisfies [string, unknown]]),
  ];
  for (const [name, each] of inner) {
    const objection = strictObjection(each, `${at.slice(0, -1)}'${name}',)`);
    if (objection !== undefined) return objection;
  }
  return undefined;
}
