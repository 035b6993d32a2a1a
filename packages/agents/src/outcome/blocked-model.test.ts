import { expect, it } from "vitest";
import type { NetworkRow } from "../run/gateway.ts";
import { type AskedModels, blockedModel } from "./blocked-model.ts";

const before = "2026-01-01T09:00:00.000Z";
const began = Date.parse("2026-01-01T10:00:00.000Z");
const [early, late] = ["2026-01-01T10:00:01.000Z", "2026-01-01T10:00:02.000Z"];

const refused = (host: string, at = late): NetworkRow => ({ host, lastSeen: at, lastBlocked: at });
const reached = (host: string, more: Partial<NetworkRow> = {}): NetworkRow => ({
  host,
  lastSeen: late,
  ...more,
});

const found = (rows: NetworkRow[], about: Partial<AskedModels> = {}) =>
  blockedModel(rows, { since: began, agent: "claude", env: {}, ...about });

it("the model's host is blocked where it was refused since the run began", () => {
  expect(found([refused("api.anthropic.com")])).toBe("api.anthropic.com");
  expect(found([refused("api.anthropic.com", before)])).toBeUndefined();
  expect(found([])).toBeUndefined();
});

it("what an agent knocks at besides is not its model", () => {
  expect(found([refused("statsig.anthropic.com"), refused("registry.npmjs.org")])).toBeUndefined();
  expect(found([refused("chatgpt.com"), reached("api.openai.com")], { agent: "codex" })).toBeUndefined();
});

it("one that was reached is not blocked, also where it was before", () => {
  expect(found([reached("api.anthropic.com", { lastBlocked: before })])).toBeUndefined();
  expect(found([reached("api.anthropic.com", { lastBlocked: early })])).toBeUndefined();
});

it("for an agent whose model nobody knows it is any that models are asked at", () => {
  expect(found([refused("openrouter.ai")], { agent: "shell" })).toBe("openrouter.ai");
  expect(found([refused("example.com")], { agent: "shell" })).toBeUndefined();
});

it("a variable may say where the model is", () => {
  const env = { ANTHROPIC_BASE_URL: "https://models.example.test/v1", OTHER_URL: "https://example.com" };
  expect(found([refused("models.example.test"), refused("example.com")], { env })).toBe(
    "models.example.test",
  );
});
