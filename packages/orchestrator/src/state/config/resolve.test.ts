import { configKeyNames } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { checkPatch } from "./patch.ts";
import { type ConfigLayers, describeKey, resolveValue } from "./resolve.ts";

const stored = (key: string, value: unknown) =>
  new Map([[key, { value, updatedAt: new Date("2026-01-02T03:04:05Z"), updatedBy: "me" }]]);
const nothing: ConfigLayers = { flags: {}, env: {}, stored: new Map() };

describe("the value in force", () => {
  const name = "OPENTIGER_RUN_TIMEOUT";
  const all: ConfigLayers = { flags: { [name]: "1h" }, env: { [name]: "3h" }, stored: stored(name, "4h") };

  it.each([
    ["flag", all, "1h"],
    ["environment", { ...all, flags: {} }, "3h"],
    ["stored", { ...all, flags: {}, env: {} }, "4h"],
    ["default", nothing, "2h"],
  ] as const)("comes from %s before what is weaker, and says so", (source, layers, value) => {
    expect(describeKey(name, layers)).toMatchObject({ source, value, default: "2h", problem: null });
    expect(resolveValue(name, layers)).toBe(Number.parseInt(value, 10) * 3_600_000);
  });

  it("is not said by a variable that is set to nothing", () => {
    expect(describeKey(name, { ...nothing, env: { [name]: " " } })).toMatchObject({
      source: "default",
      pinned: false,
    });
  });

  it("shows when and by whom it was stored, and that the environment pins it", () => {
    const entry = describeKey(name, { ...all, flags: {} });
    expect(entry).toMatchObject({ pinned: true, updatedAt: "2026-01-02T03:04:05.000Z", updatedBy: "me" });
  });

  it("is pinned by a flag as it is by the environment", () => {
    expect(describeKey(name, { ...nothing, flags: { [name]: "1h" } })).toMatchObject({ pinned: true });
    expect(describeKey(name, { ...nothing, stored: stored(name, "4h") })).toMatchObject({ pinned: false });
  });

  it.each([
    ["flag", { ...nothing, flags: { [name]: "soon" } }],
    ["environment", { ...nothing, env: { [name]: "soon" } }],
    ["stored", { ...nothing, stored: stored(name, "soon") }],
  ] as const)(
    "that cannot be used (%s) is an error, and nothing weaker takes its place",
    (source, layers) => {
      const problem = `${name} must be a time from 10s to 7d, such as 90s, 30m, 2h or 7d, and is "soon"`;
      expect(() => resolveValue(name, layers)).toThrow(
        expect.objectContaining({ code: "config_invalid", message: problem, remedy: expect.any(String) }),
      );
      expect(describeKey(name, layers)).toMatchObject({ source, value: "soon", problem });
    },
  );
});

it("a secret in the wrong variable is refused and not shown", () => {
  const secret = `sk-ant-${"x".repeat(20)}`;
  const layers = { ...nothing, env: { OPENTIGER_RUN_TIMEOUT: secret } };
  expect(JSON.stringify(describeKey("OPENTIGER_RUN_TIMEOUT", layers))).not.toContain(secret);
  expect(() => resolveValue("OPENTIGER_RUN_TIMEOUT", layers)).toThrow("(a secret)");
});

describe("A1 EXECUTION_ENVIRONMENT", () => {
  const name = "EXECUTION_ENVIRONMENT";

  it("is refused with the two legal values when it is anything else", () => {
    const refusal = expect.objectContaining({
      code: "config_invalid",
      message: 'EXECUTION_ENVIRONMENT must be host or sandbox, and is "vm"',
      remedy: expect.stringContaining("host or sandbox"),
    });
    expect(() => resolveValue(name, { ...nothing, env: { [name]: "vm" } })).toThrow(refusal);
    expect(() => checkPatch({ [name]: "vm" }, nothing)).toThrow(refusal);
  });

  it("is sandbox unless the user chose the host, by AGENT_LOOP_HOST=1 too", () => {
    expect(resolveValue(name, nothing)).toBe("sandbox");
    expect(resolveValue(name, { ...nothing, env: { AGENT_LOOP_HOST: "1" } })).toBe("host");
    expect(resolveValue(name, { ...nothing, env: { AGENT_LOOP_HOST: "0" } })).toBe("sandbox");
  });

  it("does not choose between two words of the user's that contradict each other", () => {
    const layers = { ...nothing, env: { AGENT_LOOP_HOST: "1", [name]: "sandbox" } };
    expect(() => resolveValue(name, layers)).toThrow(
      expect.objectContaining({ remedy: "unset one of them" }),
    );
    expect(describeKey(name, layers).problem).toContain("AGENT_LOOP_HOST");
  });
});

describe("a change", () => {
  it("is stored in one form, however it was written; null is the default again", () => {
    const checked = checkPatch(
      { OPENTIGER_RUN_TIMEOUT: " 60M ", OPENTIGER_MAX_RUNNING: "7", OPENTIGER_LOOP_USD: null },
      nothing,
    );
    expect([...checked]).toEqual([
      ["OPENTIGER_RUN_TIMEOUT", "1h"],
      ["OPENTIGER_MAX_RUNNING", 7],
      ["OPENTIGER_LOOP_USD", null],
    ]);
  });

  it.each([
    ["OPENTIGER_MAX_RUNNING", "OPENTIGER_MAX_RUNNING"],
    ["EXECUTION_ENVIRONMENT", "AGENT_LOOP_HOST"],
  ])("of %s is refused while %s pins it", (key, variable) => {
    expect(() => checkPatch({ [key]: "5" }, { ...nothing, env: { [variable]: "1" } })).toThrow(
      expect.objectContaining({
        code: "config_pinned",
        remedy: expect.stringContaining(`unset ${variable}`),
      }),
    );
  });

  it("is refused while a flag pins the key, and the flag is named", () => {
    const layers = { ...nothing, flags: { OPENTIGER_MAX_RUNNING: "3" } };
    expect(() => checkPatch({ OPENTIGER_MAX_RUNNING: "5" }, layers)).toThrow(
      expect.objectContaining({
        code: "config_pinned",
        message: expect.stringContaining("--set OPENTIGER_MAX_RUNNING"),
        remedy: expect.stringContaining("opentiger up"),
      }),
    );
    expect(checkPatch({ OPENTIGER_REWORKS: "5" }, layers).size).toBe(1);
  });

  it.each([
    { ANTHROPIC_API_KEY: "anything" },
    { OPENTIGER_WORKER_MODEL: `sk-ant-${"x".repeat(20)}` },
    { OPENTIGER_AGENT_COMMAND: ["agent", "--url", "https://me:hidden@host/"] },
  ])("that is a secret goes to the vault, and is not repeated: %j", (changes) => {
    const [[key, value] = ["", ""]] = Object.entries(changes);
    const refusal = refusalOf(changes);
    expect(refusal).toMatchObject({
      code: "config_secret",
      remedy: `put it into the vault: opentiger secrets add ${key.toLowerCase()}`,
    });
    expect(JSON.stringify(refusal)).not.toContain(String(value));
  });

  it("of a key that nobody knows is refused, and the one that was meant is named", () => {
    expect(refusalOf({ run_timeout: "1h" })).toMatchObject({
      code: "config_unknown",
      remedy: "did you mean OPENTIGER_RUN_TIMEOUT?",
    });
    expect(refusalOf({ nonsense: "1" })).toMatchObject({
      remedy: expect.stringContaining(configKeyNames[0] ?? ""),
    });
    expect(refusalOf({ constructor: "1" })).toMatchObject({ code: "config_unknown" });
  });
});

function refusalOf(changes: Record<string, unknown>): unknown {
  try {
    return checkPatch(changes, nothing);
  } catch (error) {
    return error;
  }
}
