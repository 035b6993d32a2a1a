import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { words } from "./words.ts";

const folder = fileURLToPath(new URL("..", import.meta.url));
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("words/") && !file.includes(".test."))
  .map((file) => readFileSync(join(folder, file), "utf8"));

it.each(Object.entries(words))("every word of %s is said somewhere", (group, said) => {
  expect(unsaid(said, [group])).toEqual([]);
});

/** What no page says: neither a word itself, nor all that it is one of. */
function unsaid(said: object, path: readonly string[]): string[] {
  return Object.entries(said).flatMap(([name, value]: [string, unknown]) => {
    const place = [...path, name];
    const isGroup = typeof value === "object" && value !== null;
    // Whoever takes a group, and does not go on to one of its words, takes them all.
    const isSaid = sources.some((source) =>
      namesOf(source, place).some((each) =>
        new RegExp(`(?<!\\w|\\w\\.|const \\w+ = )${each}\\b${isGroup ? "(?!\\.\\w)" : ""}`).test(source),
      ),
    );
    if (isSaid) return [];
    return isGroup ? unsaid(value, place) : [place.join(".")];
  });
}

/** What the words at a place are called in a file: `words.loop.plan`, `text.plan` where text is `words.loop`, and so on. */
function namesOf(source: string, path: readonly string[]): string[] {
  const last = path.at(-1);
  if (last === undefined) return ["words"];
  return namesOf(source, path.slice(0, -1)).flatMap((name) => {
    const assigned = new RegExp(`const (\\w+) = ${name}\\.${last};`).exec(source)?.[1];
    const taken = new RegExp(`const \\{([^}]*)\\} = ${name};`).exec(source)?.[1] ?? "";
    const renamed = new RegExp(`\\b${last}(?:: (\\w+))?(?:,|\\s*$)`).exec(taken);
    return [`${name}.${last}`, assigned, renamed && (renamed[1] ?? last)].flatMap((each) => each ?? []);
  });
}
