import { readFileSync } from "node:fs";
import { errorCodes } from "@opentiger/schema";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { execOptions } from "../exec/option-table.ts";
import { exits } from "./exits.ts";
import { recordedSurroundings } from "./recorded-surroundings.ts";
import { withSandboxVerbs } from "./sandbox-verbs.ts";

const page = (name: string) => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");

describe("docs/cli.md", () => {
  const text = page("cli.md");

  test("has every error code beside its exit code", () => {
    const rows = [...text.matchAll(/^\| ([\d, ]+) \| ((?:`[a-z_]+` ?)+)\|/gm)].map(
      ([, codes = "", names = ""]) => ({
        codes: codes.split(",").map(Number),
        names: [...names.matchAll(/[a-z_]+/g)].map(([name]) => name),
      }),
    );
    for (const [name, { exit }] of Object.entries(errorCodes)) {
      const row = rows.find(({ names }) => names.includes(name));
      expect(row?.codes, name).toContain(exit);
    }
    expect(rows.flatMap(({ names }) => names).toSorted()).toEqual(Object.keys(errorCodes).toSorted());
  });

  test("has every status by which a command answers", () => {
    const codes = [...text.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, row = ""]) =>
      row.split(",").map(Number),
    );
    for (const [name, status] of Object.entries(exits)) expect(codes, name).toContain(status);
    const known = new Set<number>([
      ...Object.values(errorCodes).map(({ exit }) => exit),
      ...Object.values(exits),
    ]);
    expect(codes.filter((code) => !known.has(code))).toEqual([]);
    const meaning = (code: number) =>
      text.split("\n").find((line) => new RegExp(`^\\| (?:\\d+, )*${code}(?:, \\d+)* \\|`).test(line));
    expect(meaning(exits.negative)).toContain("the answer is no");
    expect(meaning(exits.cancelled)).toMatch(/\| 2, 3, 4 \|.*cancelled; waits for your approval; is paused/);
    expect(meaning(exits.detached)).toContain("Ctrl-C; what was watched goes on");
  });

  test("has every verb and every option of exec", async () => {
    const { surroundings } = recordedSurroundings();
    const { commands } = await withSandboxVerbs(new Command("docker sandbox"), surroundings);
    for (const verb of commands.map((each) => each.name()))
      expect(text).toMatch(new RegExp(`\\| .*\`${verb}[ \`]`));
    const said = execOptions.filter(({ long }) => !["json", "context", "help"].includes(long));
    for (const option of said) {
      const short = "short" in option ? `-${option.short}` : `--${option.long}`;
      expect(text.includes(`\`${short}`) || text.includes(`\`--${option.long}`), option.long).toBe(true);
    }
  });
});

describe("docs/troubleshooting.md", () => {
  const text = page("troubleshooting.md");

  /** By the title, or the beginning of a paragraph: the command that mends it. */
  test.each([
    ["Not logged in", "claude setup-token"],
    ["Not logged in", "secrets add claude_setup_token"],
    ["Creating is slow", "docker sandbox pool"],
    ["A file is not visible", "docker sandbox cp"],
    ["is not a docker command", "opentiger sandbox install-plugin"],
  ])("B14 the section on %j says what mends it: %s", (title, remedy) => {
    const section = text.split(/^## /m).find((part) => part.split("\n", 1)[0]?.includes(title));
    expect(section).toContain(remedy);
  });

  test.each([
    ["engine_unavailable", "systemctl start docker"],
    ["image_missing", "opentiger image build"],
    ["cli_missing", "opentiger image build"],
    ["authenticated=false", "opentiger auth"],
  ])("A8 A16 what is said of %s says what mends it: %s", (code, remedy) => {
    const paragraph = text.split(/^(?=\*\*|## )/m).find((part) => part.includes(code));
    expect(paragraph).toContain(remedy);
  });
});
