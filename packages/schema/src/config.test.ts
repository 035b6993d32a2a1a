import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configKeyNames, configKeys, launchModes } from "./config.ts";
import { isSecretName, isSecretValue } from "./config-secrets.ts";

describe("a key of system_config", () => {
  it.each(configKeyNames)("%s has a default that it would itself accept, and a sentence", (name) => {
    const { fallback, about, expects } = configKeys[name];
    if (fallback.json === null) expect(fallback.value).toBeNull();
    else expect(configKeys[name].read(fallback.json)).toEqual(fallback);
    expect(about).toMatch(/^[A-Z].*\.$/);
    expect(expects).not.toBe("");
  });

  it.each(configKeyNames)("%s reads what it wrote as the same value again", (name) => {
    const written = fc.oneof(fc.integer(), fc.double(), fc.string(), likelyText());
    const property = fc.property(written, (raw) => {
      const reading = configKeys[name].read(raw);
      if (reading) expect(configKeys[name].read(reading.json)).toEqual(reading);
    });
    fc.assert(property, { numRuns: 200 });
  });

  it.each(configKeyNames)("%s refuses what is no setting at all", (name) => {
    for (const raw of [undefined, null, true, {}, [], "", " ", "a\nb", "x".repeat(10_000)]) {
      expect(configKeys[name].read(raw)).toBeUndefined();
    }
  });
});

it("A1 EXECUTION_ENVIRONMENT is host or sandbox, and sandbox by default", () => {
  const { read, fallback, choices, expects } = configKeys.EXECUTION_ENVIRONMENT;
  expect(choices).toEqual(["host", "sandbox"]);
  expect(expects).toBe("host or sandbox");
  expect(fallback.value).toBe("sandbox");
  expect(read("host")?.value).toBe("host");
  for (const other of ["docker", "Host", "sandbox,host", "", "none"]) expect(read(other)).toBeUndefined();
});

it("A2 host is the launch mode process, sandbox is docker", () => {
  expect(launchModes).toEqual({ host: "process", sandbox: "docker" });
});

describe("times, sizes and limits", () => {
  it.each([
    ["OPENTIGER_RUN_TIMEOUT", "90m", 5_400_000, "90m"],
    ["OPENTIGER_RUN_TIMEOUT", " 120M ", 7_200_000, "2h"],
    ["OPENTIGER_ARTIFACT_SIZE", "1024k", 1_048_576, "1m"],
    ["OPENTIGER_LOOP_TOKENS", "none", null, "none"],
    ["OPENTIGER_LOOP_TOKENS", "5000", 5_000, 5_000],
    ["OPENTIGER_LOOP_USD", "2.50", 2.5, 2.5],
    ["OPENTIGER_MAX_RUNNING", 7, 7, 7],
    ["OPENTIGER_AGENT_COMMAND", '["agent", "-x"]', ["agent", "-x"], ["agent", "-x"]],
  ] as const)("%s takes %j", (name, raw, value, json) => {
    expect(configKeys[name].read(raw)).toEqual({ value, json });
  });

  it.each([
    ["OPENTIGER_RUN_TIMEOUT", "90"],
    ["OPENTIGER_RUN_TIMEOUT", "9s"],
    ["OPENTIGER_RUN_TIMEOUT", "-1h"],
    ["OPENTIGER_MAX_RUNNING", "0"],
    ["OPENTIGER_MAX_RUNNING", "1.5"],
    ["OPENTIGER_LOOP_USD", "0"],
    ["OPENTIGER_LOOP_USD", "1e3"],
    ["SANDBOX_DOCKER_NETWORK", "host"],
    ["SANDBOX_DOCKER_NETWORK", "container:other"],
    ["OPENTIGER_WORKER_MODEL", "--dangerous"],
    ["OPENTIGER_GIT_NAME", "A <b>"],
    ["OPENTIGER_AGENT_COMMAND", "agent -x"],
  ] as const)("%s refuses %j", (name, raw) => {
    expect(configKeys[name].read(raw)).toBeUndefined();
  });
});

describe("a secret", () => {
  it.each(["ANTHROPIC_API_KEY", "github_token", "DB_PASSWORD", "codex_auth_json"])("is named %s", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    `sk-ant-oat01-${"x".repeat(30)}`,
    `ghp_${"x".repeat(36)}`,
    "postgres://me:hidden@db/x",
    ["agent", "--key", `sk-proj-${"x".repeat(30)}`],
    "-----BEGIN OPENSSH PRIVATE KEY-----",
  ])("is recognised in %j", (value) => {
    expect(isSecretValue(value)).toBe(true);
  });

  it("is none of what our own keys have by default", () => {
    for (const name of configKeyNames) expect(isSecretValue(configKeys[name].fallback.json)).toBe(false);
    expect(isSecretName("OPENTIGER_LOOP_TOKENS")).toBe(false);
  });
});

/** Texts that have a chance of being a setting. */
function likelyText(): fc.Arbitrary<string> {
  const words = configKeyNames.flatMap((name) => configKeys[name].choices ?? []);
  const counted = fc
    .tuple(fc.nat(), fc.constantFrom("", "s", "m", "h", "d", "k", "g", "T"))
    .map(([count, unit]) => {
      return `${count}${unit}`;
    });
  return fc.oneof(counted, fc.constantFrom("none", "a@b", "x:latest", '["a"]', ...words));
}
