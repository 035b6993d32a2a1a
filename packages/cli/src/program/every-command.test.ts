import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { complete } from "../completion/candidates.ts";
import { opentigerProgram } from "./opentiger.ts";
import { recordedSurroundings } from "./recorded-surroundings.ts";

const recorded = recordedSurroundings({ invocation: "opentiger sandbox" });
const root = await opentigerProgram(recorded.surroundings);

/** Each with the words that lead to it. */
function leaves(command: Command, words: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[words.join(" "), command]];
  return command.commands.flatMap((each) => leaves(each, [...words, each.name()]));
}

/** A script for a shell is no result that could be JSON; nor is what is shown to people as it happens. */
const withoutJson = new Set(["completion", "demo", "bench"]);

describe.each(leaves(root))("opentiger %s", (words, command) => {
  test("has a help with examples", () => {
    recorded.stdout = "";
    command.outputHelp();
    expect(recorded.stdout).toMatch(/^Examples:\n {2}\S/m);
  });

  test("answers machines", () => {
    const options = command.options.map(({ long }) => long);
    expect(options.includes("--json")).toBe(!withoutJson.has(words));
  });

  test("is completed", () => {
    const path = words.split(" ");
    const offered = complete(root, path, () => []).candidates.map(({ value }) => value);
    expect(offered).toContain(path.at(-1));
  });
});

test("the documents name every command of opentiger", () => {
  const page = (name: string) => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");
  const text = page("cli.md") + page("secrets.md");
  const names = leaves(root).map(([words]) => words.replace(/^(?:sandbox|secrets) /, ""));
  const missing = names.filter((words) => !new RegExp(`\`(?:opentiger )?${words}[ \`]`).test(text));
  expect(missing).toEqual([]);
});
