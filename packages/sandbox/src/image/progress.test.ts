import fc from "fast-check";
import { expect, it } from "vitest";
import { type EngineMessage, engineMessages } from "./progress.ts";

const engineOutput = [
  '{"stream":"Step 1/3 : FROM debian"}',
  '{"status":"Pulling fs layer","progressDetail":{},"id":"0ab1"}',
  '{"status":"Downloading","progressDetail":{"current":12,"total":40},"progress":"[==> ]","id":"0ab1"}',
  '{"stream":"\\u001b[91mnpm wärn\\u001b[0m one\\ntwo\\r\\n"}',
  '{"stream":"\\n"}',
  '{"aux":{"ID":"sha256:1"}}',
  "no json",
  '{"errorDetail":{"code":1,"message":"gave up"},"error":"gave up\\n"}',
].join("\r\n");

const expected: EngineMessage[] = [
  { kind: "step", step: 1, steps: 3, text: "FROM debian" },
  { kind: "pull", layer: "0ab1", status: "Pulling fs layer" },
  { kind: "pull", layer: "0ab1", status: "Downloading", current: 12, total: 40 },
  { kind: "output", text: "\u001b[91mnpm wärn\u001b[0m one" },
  { kind: "output", text: "two" },
  { kind: "output", text: "no json" },
  { kind: "failed", text: "gave up" },
];

it("reads steps, output, pulls and the failure from the engine's lines, however they are cut", async () => {
  const bytes = Buffer.from(engineOutput);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length)), async (cuts) => {
      expect(await collect(pieces(bytes, cuts))).toEqual(expected);
    }),
  );
});

it("never throws at what comes from the engine", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(fc.json(), fc.string())), async (lines) => {
      await collect([Buffer.from(lines.join("\n"))]);
    }),
  );
});

function pieces(bytes: Buffer, cuts: number[]): Buffer[] {
  const ends = [...cuts.sort((a, b) => a - b), bytes.length];
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

async function collect(chunks: Buffer[]): Promise<EngineMessage[]> {
  const found: EngineMessage[] = [];
  async function* source() {
    yield* chunks;
  }
  for await (const message of engineMessages(source())) found.push(message);
  return found;
}
