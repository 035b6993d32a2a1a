import { tones } from "@opentiger/schema";
import { expect, test } from "vitest";
import { coloursFor, inStateColour } from "./colours.ts";

const colours = coloursFor({ isTTY: true }, {});

test("each of the six tones has a colour of its own", () => {
  const shown = ["queued", "running", "blocked(paused)", "done", "failed", "cancelled"] as const;
  expect(new Set(shown.map((state) => inStateColour(state, "x", colours))).size).toBe(tones.length);
});

test("what is of one tone has one colour: a sandbox that runs as a task that does, whatever stopped as what was cancelled", () => {
  expect(inStateColour("planning", "x", colours)).toBe(inStateColour("running", "x", colours));
  expect(inStateColour("broken", "x", colours)).toBe(inStateColour("lost", "x", colours));
  expect(inStateColour("stopped", "x", colours)).toBe(inStateColour("cancelled", "x", colours));
  expect(inStateColour("blocked(dependency_failed)", "x", colours)).toBe(
    inStateColour("paused(budget)", "x", colours),
  );
});
