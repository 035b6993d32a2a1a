import { expect, it } from "vitest";
import { OrchestratorError } from "../../errors.ts";
import { flagsOf, readFlags, withFlags } from "./flags.ts";

it("what was given is found again in the environment that carries it, and in no other", () => {
  const flags = readFlags(["OPENTIGER_RUN_TIMEOUT=1h", 'OPENTIGER_AGENT_COMMAND=["a","--b=c"]']);
  expect(flags).toEqual({ OPENTIGER_RUN_TIMEOUT: "1h", OPENTIGER_AGENT_COMMAND: '["a","--b=c"]' });
  const env = { PATH: "/bin" };
  expect(flagsOf(withFlags(env, flags))).toEqual(flags);
  expect(flagsOf(env)).toEqual({});
  expect(withFlags(env, {})).toEqual(env);
});

it("of a key that is given twice, the last word holds", () => {
  expect(readFlags(["OPENTIGER_REWORKS=1", "OPENTIGER_REWORKS=2"])).toEqual({ OPENTIGER_REWORKS: "2" });
});

const secret = `sk-ant-${"x".repeat(20)}`;

it.each([
  ["no value", "OPENTIGER_REWORKS", "KEY=VALUE", undefined],
  ["an empty value", "OPENTIGER_REWORKS=", "a whole number from 0 to 20", undefined],
  ["a key that nobody knows", "RUN_TIMEOUT=1h", '"RUN_TIMEOUT"', "did you mean OPENTIGER_RUN_TIMEOUT?"],
  [
    "a value that cannot be one",
    "EXECUTION_ENVIRONMENT=vm",
    "must be host or sandbox",
    "give host or sandbox",
  ],
  ["a secret", `OPENTIGER_WORKER_MODEL=${secret}`, "is a secret", undefined],
])("%s is refused as usage, with what may stand there", (_what, word, message, remedy) => {
  const refusal = refusalOf(() => readFlags([word]));
  expect(refusal).toMatchObject({ code: "usage", message: expect.stringContaining(message) });
  if (remedy !== undefined) expect(refusal.remedy).toBe(remedy);
  expect(JSON.stringify(refusal)).not.toContain(secret);
});

it.each(["nonsense", "[]", '{"OPENTIGER_REWORKS":2}', '{"NOBODYS":"1"}'])(
  "a variable that we did not write is an error, and not the default: %s",
  (written) => {
    expect(refusalOf(() => flagsOf({ OPENTIGER_SET: written }))).toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("OPENTIGER_SET"),
      remedy: expect.stringContaining("--set"),
    });
  },
);

function refusalOf(act: () => unknown): OrchestratorError {
  try {
    act();
  } catch (error) {
    if (error instanceof OrchestratorError) return error;
  }
  throw new Error("it was not refused");
}
