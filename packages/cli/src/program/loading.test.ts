import { Command } from "commander";
import { expect, test } from "vitest";
import { opentigerProgram } from "./opentiger.ts";
import { recordedSurroundings } from "./recorded-surroundings.ts";
import { withSandboxVerbs } from "./sandbox-verbs.ts";

const { surroundings } = recordedSurroundings({ invocation: "opentiger sandbox" });

/** Of every command: its word alone reads it and no other. */
const whole = await opentigerProgram(surroundings);
const verbs = await withSandboxVerbs(new Command("docker sandbox"), surroundings);

test.each(whole.commands.map((command) => command.name()))("opentiger %s is read alone", async (word) => {
  const { commands } = await opentigerProgram(surroundings, [word]);
  expect(commands.map((command) => command.name())).toEqual([word]);
});

test.each(verbs.commands.map((verb) => verb.name()))("docker sandbox %s is read alone", async (word) => {
  const { commands } = await withSandboxVerbs(new Command("docker sandbox"), surroundings, word);
  expect(commands.map((command) => command.name())).toEqual([word]);
  const [sandbox] = (await opentigerProgram(surroundings, ["sandbox", word])).commands;
  expect(sandbox?.commands.map((command) => command.name())).toEqual([word]);
});

test.each(["", "--help", "help", "stauts", "__proto__", "constructor"])(
  "all are read for %j",
  async (word) => {
    const { commands } = await opentigerProgram(surroundings, [word]);
    expect(commands).toHaveLength(whole.commands.length);
  },
);
