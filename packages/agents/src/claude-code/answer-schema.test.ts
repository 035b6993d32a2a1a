import { expect, it } from "vitest";
import { z } from "zod";
import { answerArguments } from "./answer-schema.ts";

function asked(jsonSchema: Record<string, unknown>): unknown {
  const [option, schema = ""] = answerArguments({ jsonSchema });
  expect(option).toBe("--json-schema");
  return JSON.parse(schema);
}

it("a schema goes to Claude Code without the words for which it would drop the whole of it", () => {
  const schema = z.object({
    at: z.iso.datetime(),
    verdict: z.enum(["pass", "fail"]).describe("What came of it"),
    pair: z.tuple([z.string(), z.number()]),
    reasons: z.array(z.object({ file: z.string().nullable(), line: z.int().min(1) })).max(5),
  });
  expect(asked(z.toJSONSchema(schema))).toEqual({
    type: "object",
    properties: {
      at: { type: "string", pattern: expect.any(String) as string },
      verdict: { type: "string", enum: ["pass", "fail"], description: "What came of it" },
      pair: { type: "array", minItems: 2, maxItems: 2 },
      reasons: {
        type: "array",
        maxItems: 5,
        items: {
          type: "object",
          properties: {
            file: { type: ["string", "null"] },
            line: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          },
          required: ["file", "line"],
          additionalProperties: false,
        },
      },
    },
    required: ["at", "verdict", "pair", "reasons"],
    additionalProperties: false,
  });
});

it("properties may be called like words of the schema", () => {
  const properties = { format: { type: "string", format: "email" }, items: { $ref: "#/$defs/one" } };
  const $defs = { one: { type: "string", $id: "one", "x-note": true } };
  expect(asked({ type: "object", properties, $defs })).toEqual({
    type: "object",
    properties: { format: { type: "string" }, items: { $ref: "#/$defs/one" } },
    $defs: { one: { type: "string" } },
  });
});
