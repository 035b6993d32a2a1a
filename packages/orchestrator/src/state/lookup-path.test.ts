import { existsSync, readFileSync } from "node:fs";
import { loopStates, runStates, type StateMeaning, taskStates } from "@opentiger/schema";
import { describe, expect, it } from "vitest";

const docs = new URL("../../../../docs/", import.meta.url);

const pages = [
  "state-model.md",
  "flow.md",
  "operations.md",
  "agent/README.md",
  "agent/dispatcher.md",
  "mode.md",
  "config.md",
  "execution-mode.md",
];

const states: Readonly<Record<string, Readonly<Record<string, StateMeaning>>>> = {
  "A task": taskStates,
  "A loop": loopStates,
  "A run": runStates,
};

/** Of a table: the words of each row, without the marks of code. */
const rowsOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );

describe("A17 the path from a state to the code", () => {
  it.each(pages)("%s has no link that leads nowhere, and names no folder that is not there", (page) => {
    for (const link of linksOf(page)) expect(existsSync(link), link.href).toBe(true);
    for (const [, folder = ""] of read(page).matchAll(/`(packages\/[\w/.-]+)`/g))
      expect(existsSync(new URL(`../${folder}`, docs)), folder).toBe(true);
  });

  it("from operations.md all the others are found, by links alone", () => {
    const seen = new Set([new URL("operations.md", docs).href]);
    for (const at of seen) {
      const page = at.slice(docs.href.length);
      if (at.startsWith(docs.href) && page.endsWith(".md"))
        for (const { href } of linksOf(page)) seen.add(href);
    }
    expect(pages.filter((page) => !seen.has(new URL(page, docs).href))).toEqual([]);
  });

  it.each(Object.keys(states))(
    "%s: each state has its owner, and each transition its implementation",
    (title) => {
      const section =
        read("state-model.md")
          .split(/^## /m)
          .find((part) => part.startsWith(`${title}\n`)) ?? "";
      const rows = rowsOf(section);
      const owners = read("agent/README.md");
      for (const [state, { owner }] of Object.entries(states[title] ?? {})) {
        expect(
          rows.find(([name, who]) => name === state && who === owner),
          state,
        ).toBeDefined();
        if (owner !== "person" && owner !== "nobody") expect(owners).toContain(owner);
      }
      const moves = rows.filter((cells) => cells.length === 6);
      expect(moves.length).toBeGreaterThan(0);
      for (const [state = "", transition, becomes = "", , , where = ""] of moves) {
        const [, link = ""] = /\]\(([^)]+)\)/.exec(where) ?? [];
        expect(existsSync(new URL(link, docs)), `${state} ${transition}: ${link}`).toBe(true);
        expect(
          [state, ...becomes.split(" or ")].every((name) => Object.hasOwn(states[title] ?? {}, name)),
          `${state} ${becomes}`,
        ).toBe(true);
      }
    },
  );

  it("flow.md names for each stage where it is implemented", () => {
    const stages = read("flow.md")
      .split("\n")
      .filter((line) => /^\| (?:plan|run|judge|merge) \|/.test(line));
    expect(stages).toHaveLength(4);
    for (const line of stages) {
      const folders = [...(line.split("|").at(-2) ?? "").matchAll(/`([\w/]+)`/g)].map(
        ([, name = ""]) => name,
      );
      expect(folders.length, line).toBeGreaterThan(0);
      for (const name of folders) expect(existsSync(new URL(`../${name}`, import.meta.url)), name).toBe(true);
    }
  });
});

function read(page: string): string {
  return readFileSync(new URL(page, docs), "utf8");
}

function linksOf(page: string): URL[] {
  const links = [...read(page).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link)).map((link) => new URL(link, new URL(page, docs)));
}
