import { expect, it } from "vitest";
import { inheritedVariables } from "./inherited-variables.ts";

const env = { PATH: "/bin", LC_ALL: "C", LC_TIME: "C", KEY: "k", OPENTIGER_DATABASE_URL: "postgres://" };

it("only what is named is inherited, and nothing of ours by any name", () => {
  expect(inheritedVariables(env, ["PATH", "LC_*", "OPEN*", "OPENTIGER_DATABASE_URL", "ABSENT"])).toEqual({
    PATH: "/bin",
    LC_ALL: "C",
    LC_TIME: "C",
  });
  expect(inheritedVariables(env, [])).toEqual({});
});

it("without names everything is, but what `up --set` was given", () => {
  expect(inheritedVariables({ ...env, OPENTIGER_SET: "{}" }, null)).toEqual(env);
});
