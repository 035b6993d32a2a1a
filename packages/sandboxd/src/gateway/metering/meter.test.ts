import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropicEvents, chatEvents, eventText, openaiEvents } from "../fixture/model-server.ts";
import { Meter } from "./meter.ts";
import { costOf, prices } from "./prices.ts";
import { EventData } from "./sse.ts";
import { noTokens } from "./tokens.ts";
import type { Dialect } from "./usage.ts";

function metered(dialect: Dialect, pieces: readonly Buffer[]) {
  const meter = new Meter(dialect);
  for (const piece of pieces) meter.feed(piece);
  return meter.end();
}

const anthropicTokens = { input: 10, output: 7, cacheRead: 5, cacheWrite: 3, cacheWriteHour: 0 };
const openaiTokens = { input: 50, output: 20, cacheRead: 40, cacheWrite: 10, cacheWriteHour: 0 };
const chatTokens = { ...noTokens, input: 9, output: 2 };

const answers = [
  {
    name: "Anthropic, streamed",
    dialect: "anthropic",
    text: eventText(anthropicEvents),
    tokens: anthropicTokens,
  },
  {
    name: "Anthropic, whole",
    dialect: "anthropic",
    text: JSON.stringify({
      model: "claude-opus-5-5",
      content: [{ type: "text", text: '"usage":{"input_tokens":99}' }],
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        cache_creation_input_tokens: 9,
        cache_creation: { ephemeral_1h_input_tokens: 4 },
      },
    }),
    tokens: { input: 1, output: 2, cacheRead: 0, cacheWrite: 9, cacheWriteHour: 4 },
  },
  {
    name: "OpenAI responses, streamed",
    dialect: "openai",
    text: eventText(openaiEvents),
    tokens: openaiTokens,
  },
  {
    name: "OpenAI responses, whole",
    dialect: "openai",
    text: `\n ${JSON.stringify(openaiEvents[2]?.response, null, 2)}`,
    tokens: openaiTokens,
  },
  { name: "OpenAI chat, streamed", dialect: "openai", text: eventText(chatEvents), tokens: chatTokens },
  {
    name: "OpenAI chat, whole",
    dialect: "openai",
    text: JSON.stringify({ model: "gpt-5.2", usage: { prompt_tokens: 9, completion_tokens: 2 } }),
    tokens: chatTokens,
  },
] as const;

describe.each(answers)("the usage of an answer ($name)", ({ dialect, text, tokens }) => {
  it("is the API's own", () => {
    expect(metered(dialect, [Buffer.from(text)])).toMatchObject({ tokens, final: true });
  });

  it("is the same however the answer is cut", () => {
    const bytes = Buffer.from(text);
    const whole = metered(dialect, [bytes]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 60 }), (places) => {
        const edges = [0, ...places.toSorted((a, b) => a - b), bytes.length];
        const pieces = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
        expect(metered(dialect, pieces)).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  it("is the same with the line ends of another system", () => {
    const other = text.startsWith("event") || text.startsWith("data") ? text.replaceAll("\n", "\r\n") : text;
    expect(
      metered(
        dialect,
        [...Buffer.from(other)].map((byte) => Buffer.from([byte])),
      ),
    ).toMatchObject({ tokens });
  });
});

it("an answer that was cut has what was told until then, and is not final", () => {
  const cut = eventText(anthropicEvents.slice(0, 2));
  expect(metered("anthropic", [Buffer.from(cut)])).toMatchObject({
    model: "claude-sonnet-5",
    tokens: { input: 10, output: 1 },
    final: false,
    events: 2,
  });
});

it("numbers that cannot be are not believed", () => {
  const text = JSON.stringify({
    model: "m",
    usage: { input_tokens: -5, output_tokens: "many", prompt_tokens: 1e300 },
  });
  expect(metered("openai", [Buffer.from(text)])).toMatchObject({ tokens: null, final: false });
});

it("an event beyond the limit is counted and not held, and the next is read again", () => {
  const told: string[] = [];
  const events = new EventData(100, (data) => told.push(data));
  events.feed(Buffer.from("data: small\n\ndata: "));
  for (let count = 0; count < 1000; count += 1) events.feed(Buffer.alloc(1000, "x"));
  events.feed(Buffer.from("\n\ndata: last\ndata: lines\n\n"));
  events.end();
  expect(told).toEqual(["small", "last\nlines"]);
  expect(events.count).toBe(3);
});

describe("the cost", () => {
  const tokens = {
    input: 1_000_000,
    output: 1_000_000,
    cacheRead: 1_000_000,
    cacheWrite: 2_000_000,
    cacheWriteHour: 500_000,
  };

  it("is that of the published rates, for a dated model, too", () => {
    const expected = 5 + 25 + 0.5 + 1.5 * 6.25 + 0.5 * 10;
    expect(costOf("claude-opus-4-5", tokens)).toBeCloseTo(expected, 10);
    expect(costOf("claude-opus-4-5-20251101", tokens)).toBeCloseTo(expected, 10);
    expect(costOf("claude-opus-4-5[1m]", tokens)).toBeCloseTo(expected, 10);
  });

  it("is higher for a long prompt where the maker says so", () => {
    expect(costOf("gpt-6.1-sol", { ...noTokens, input: 272_000 })).toBeCloseTo(0.544, 10);
    expect(costOf("gpt-6.1-sol", { ...noTokens, input: 272_001 })).toBeCloseTo(1.088004, 10);
  });

  it("is not known for a model that is not listed, and not guessed from a similar name", () => {
    expect(costOf("claude-opus-9", tokens)).toBeNull();
    expect(costOf("claude-opus-4-8-fast", tokens)).toBeNull();
    expect(costOf(null, tokens)).toBeNull();
  });

  it("has a date, and no rate that makes a cached token dearer than a new one", () => {
    expect(prices.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    for (const [model, { input, output, cacheRead, cacheWrite, cacheWriteHour }] of Object.entries(
      prices.models,
    )) {
      expect({
        model,
        fits: cacheRead < input && cacheWrite >= input && cacheWriteHour >= cacheWrite && output > input,
      }).toEqual({ model, fits: true });
    }
  });
});
