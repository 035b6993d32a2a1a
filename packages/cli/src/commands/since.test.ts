import { expect, test } from "vitest";
import { parseSince } from "./since.ts";

const now = new Date("2026-01-02T00:00:00Z");

test("a time of --since is one that has passed, or how long ago it was", () => {
  expect(parseSince("2026-01-01T12:30:00Z", now)).toBe("2026-01-01T12:30:00.000Z");
  expect(parseSince("2026-01-01T12:30:00+02:00", now)).toBe("2026-01-01T10:30:00.000Z");
  expect(parseSince("90m", now)).toBe("2026-01-01T22:30:00.000Z");
  expect(parseSince("1d", now)).toBe("2026-01-01T00:00:00.000Z");
});

test.each(["", "yesterday", "2026-13-01T00:00:00Z", "2026-01-03T00:00:00Z", "-5m"])(
  "%j is refused, with the way to write it",
  (text) => {
    expect(() => parseSince(text, now)).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining("30m") }),
    );
  },
);
