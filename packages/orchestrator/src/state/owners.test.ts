import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ownerOf, ownersFrom } from "./owners.ts";
import { transitionOf, transitions, type What } from "./transitions.ts";

const whats: readonly What[] = ["task", "loop", "run"];

describe.each(whats)("who moves a %s", (what) => {
  const names = Object.keys(transitions[what]);

  it.each(names)(
    "by %s is named from every state that it leads out of, and to every one that it leads to",
    (by) => {
      const { from, to } = transitionOf(what, by);
      for (const state of from) expect(ownersFrom(what, by, state), state).not.toEqual([]);
      const reached = from.flatMap((state) => ownersFrom(what, by, state)).flatMap((each) => each.to ?? to);
      expect([...new Set(reached)].sort()).toEqual([...to].sort());
    },
  );

  it.each(names)("A17 by %s is named with the files that ask for it", (by) => {
    const all = transitionOf(what, by).from.flatMap((state) => ownersFrom(what, by, state));
    for (const file of new Set(all.flatMap(({ where }) => where))) {
      const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
      expect(text, file).toContain(`"${by}"`);
      expect(text, file).toMatch(/\b(?:change|endRun)\(/);
    }
  });
});

it("an event says who made it: as the table has it, and nobody where nothing moved", () => {
  expect(ownerOf("task.claim", { from: "queued", to: "running" })).toBe("dispatcher");
  expect(ownerOf("loop.pause", { from: "running", to: "paused(asked)" })).toBe("person");
  expect(ownerOf("loop.pause", { from: "running", to: "paused(budget)" })).toBe("reconciler");
  expect(ownerOf("loop.fail", { from: "planning", to: "failed" })).toBe("planner");
  expect(ownerOf("loop.fail", { from: "running", to: "failed" })).toBe("reconciler");
  for (const type of ["task.edit", "task.constructor", "constructor.name", ""])
    expect(ownerOf(type, {})).toBeNull();
});
