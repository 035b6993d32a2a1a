import { readFileSync } from "node:fs";
import { errorCodes } from "@opentiger/schema";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { execOptions } from "../exec/option-table.ts";
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

  test.each(["Not logged in", "Creating is slow", "A file is not visible", "is not a docker command"])(
    "B14 has a section on %j",
    (title) => {
      expect(text).toMatch(new RegExp(`^## .*${title}`, "m"));
    },
  );

  test.each(["engine_unavailable", "image_missing", "cli_missing", "authenticated=false"] as const)(
    "A8 A16 says what to do about %s",
    (code) => {
      expect(text).toContain(code);
    },
  );
});
