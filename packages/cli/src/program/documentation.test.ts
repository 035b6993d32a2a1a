import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configKeyNames, errorCodes } from "@opentiger/schema";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { execOptions } from "../exec/option-table.ts";
import { exits } from "./exits.ts";
import { opentigerProgram } from "./opentiger.ts";
import { recordedSurroundings } from "./recorded-surroundings.ts";
import { withSandboxVerbs } from "./sandbox-verbs.ts";

const every = verbs(await opentigerProgram(recordedSurroundings().surroundings));

/** Each with the words that lead to it; those too that have further ones behind them. */
function verbs(command: Command, words: readonly string[] = []): [string, Command][] {
  const further = command.commands.flatMap((each) => verbs(each, [...words, each.name()]));
  return words.length > 0 && (further.length === 0 || has(command, "--json"))
    ? [[words.join(" "), command], ...further]
    : further;
}

function has({ options }: Command, long: string): boolean {
  return options.some((option) => option.long === long);
}

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

  test("says which verbs have no --json, and which have a --context", () => {
    const [, without = "", withContext = ""] =
      /all but (.*?) have `--json`\.\s+(.*?)\s+also have `-c`/s.exec(text) ?? [];
    const named = (sentence: string) =>
      [...sentence.matchAll(/`([a-z -]+)`/g)].map(([, name = ""]) => name).toSorted();
    const having = (long: string) =>
      every.filter(([, command]) => has(command, long)).map(([words]) => words);
    const json = having("--json");
    expect(named(without)).toEqual(
      every
        .map(([words]) => words)
        .filter((words) => !json.includes(words))
        .toSorted(),
    );
    const context = having("--context").map((words) => words.replace(/^(sandbox|sandboxd) .*/, "$1"));
    expect(named(withContext)).toEqual([...new Set(context)].toSorted());
  });
});

describe("the options of", () => {
  const sections = ["cli.md", "secrets.md", "network.md", "project.md"].flatMap((name) =>
    page(name).split(/^(?=#)/m),
  );
  /** Of every verb, and said once. */
  const shared = new Set<string | undefined>(["--json", "--context", "--help"]);

  test.each(every)("%s are in a section that names it", (words, { options }) => {
    const name = words.replace(/^(?:sandbox|secrets) /, "");
    const naming = new RegExp(`^#.*\\b${name}\\b|(?:\`|sandbox )(?:opentiger )?${name}[ \`]`);
    const text = sections.filter((section) => naming.test(section)).join("\n");
    const missing = options.filter(
      ({ long, short }) => !shared.has(long) && !says(text, long) && !says(text, short),
    );
    expect(missing.map(({ flags }) => flags)).toEqual([]);
  });

  function says(text: string, option: string | undefined): boolean {
    return option !== undefined && new RegExp(`[\`\\s[|]${option}(?![\\w-])`).test(text);
  }
});

describe("the variables of docs/cli.md", () => {
  const [, section = ""] = /^## Variables\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(page("cli.md")) ?? [];
  const listed = new Set([...section.matchAll(/`([A-Z][A-Z0-9_]+)(?:=1)?`/g)].map(([, name = ""]) => name));
  const settings = new Set<string>(configKeyNames);
  const known = [...new Set(sources().flatMap(namedIn))].filter((name) => !settings.has(name));

  test("are all that the sources name", () => {
    expect(known.length).toBeGreaterThan(30);
    expect(known.filter((name) => !listed.has(name))).toEqual([]);
  });

  test("are no others", () => {
    const text = sources()
      .map((file) => readFileSync(file, "utf8"))
      .join("\n");
    expect([...listed].filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });

  /** What is read from an environment, and all of our own, however it is read. */
  function namedIn(file: string): string[] {
    const names = readFileSync(file, "utf8").matchAll(
      /\benv\["([A-Z][A-Z0-9_]*)"\]|\b(OPENTIGER_[A-Z0-9_]*[A-Z0-9])\b/g,
    );
    return [...names].map(([, read, own = ""]) => read ?? own);
  }

  /** What is shipped and runs on the host or in a sandbox, without what is there for tests. */
  function sources(): string[] {
    const packages = new URL("../../../", import.meta.url);
    return ["agents", "cli", "orchestrator", "sandbox", "sandboxd", "schema", "secrets", "server"].flatMap(
      (name) => {
        const folder = new URL(`${name}/src/`, packages);
        return readdirSync(folder, { recursive: true, encoding: "utf8" })
          .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|fixture|temporary-/.test(file))
          .map((file) => fileURLToPath(new URL(file, folder)));
      },
    );
  }
});

describe("docs/troubleshooting.md", () => {
  const text = page("troubleshooting.md");

  /** By the title, or the beginning of a paragraph: the command that mends it. */
  test.each([
    ["Not logged in", "claude setup-token"],
    ["Not logged in", "opentiger secrets add claude_setup_token"],
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
