import fc from "fast-check";
import { z } from "zod";

/** As much of JSON Schema as the document of our API uses. */
const schemaShape = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  pattern: z.string().optional(),
  format: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  items: z.unknown().optional(),
  minItems: z.number().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
});

/** Deeper than anybody writes by hand. */
const maxDepth = 6;

/** Texts that programs stumble over. */
const nasty = fc.constantFrom(
  "",
  " ",
  "\u0000",
  "..",
  "../../etc/passwd",
  "%00",
  "'; drop table loops; --",
  "<script>alert(1)</script>",
  "\u001b[31m",
  "\ud800",
  "null",
  "NaN",
  "-1",
  "9".repeat(30),
  "x".repeat(5_000),
);

/** Values of a schema: often such as it allows, at times such as it does not. */
export function valuesOf(document: unknown, schema: unknown, depth = 0): fc.Arbitrary<unknown> {
  const right = depth > maxDepth ? fc.constant(null) : rightValues(document, schema, depth);
  return fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: fc.oneof(nasty, fc.jsonValue()) });
}

function rightValues(document: unknown, schema: unknown, depth: number): fc.Arbitrary<unknown> {
  const found = schemaShape.safeParse(schema);
  if (!found.success) return fc.jsonValue();
  const of = (each: unknown) => valuesOf(document, each, depth + 1);
  const { $ref, anyOf, oneOf, allOf, type } = found.data;
  if ($ref !== undefined) return of(resolve(document, $ref));
  if (found.data.enum) return fc.constantFrom(...found.data.enum);
  if ("const" in found.data) return fc.constant(found.data.const);
  const choices = anyOf ?? oneOf;
  if (choices && choices.length > 0) return fc.oneof(...choices.map(of));
  if (allOf) return fc.tuple(...allOf.map(of)).map((parts) => Object.assign({}, ...parts.filter(isObject)));
  const types = Array.isArray(type) ? type : [type ?? "any"];
  return fc.oneof(...types.map((each) => ofType(document, each, found.data, depth)));
}

function ofType(
  document: unknown,
  type: string,
  schema: z.infer<typeof schemaShape>,
  depth: number,
): fc.Arbitrary<unknown> {
  const of = (each: unknown) => valuesOf(document, each, depth + 1);
  switch (type) {
    case "string":
      return texts(schema);
    case "integer":
      return fc.integer({
        min: Math.max(schema.minimum ?? -1e9, -1e9),
        max: Math.min(schema.maximum ?? 1e9, 1e9),
      });
    case "number":
      return fc.double({ noNaN: true, min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9 });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(of(schema.items), {
        minLength: schema.minItems ?? 0,
        maxLength: (schema.minItems ?? 0) + 2,
      });
    case "object":
      return objects(schema, of);
    default:
      return fc.jsonValue();
  }
}

function texts({ format, pattern }: z.infer<typeof schemaShape>): fc.Arbitrary<string> {
  if (format === "uuid") return fc.uuid();
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (pattern === undefined || pattern.includes("(?")) return fc.oneof(fc.string(), nasty);
  return fc.stringMatching(new RegExp(pattern));
}

function objects(
  { properties = {}, required = [], additionalProperties }: z.infer<typeof schemaShape>,
  of: (schema: unknown) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const values = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, of(each)]));
  const known = fc.record(values, { requiredKeys: required.filter((name) => name in values) });
  if (!isObject(additionalProperties)) return known;
  const more = fc.dictionary(fc.string(), of(additionalProperties), { maxKeys: 3 });
  return fc.tuple(known, more).map(([left, right]) => ({ ...left, ...right }));
}

function resolve(document: unknown, reference: string): unknown {
  const at = reference.replace(/^#\//, "").split("/");
  return at.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), document);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
