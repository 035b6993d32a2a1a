import { expect, test } from "vitest";
import { parseExpiryDate } from "./expiry-date.ts";

const now = new Date("2026-06-01T12:00:00Z");

test.each([
  ["2027-01-31", "2027-01-31T00:00:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ["2026-06-01T12:00:01Z", "2026-06-01T12:00:01.000Z"],
  ["2026-06-02T00:30+02:00", "2026-06-01T22:30:00.000Z"],
])("%s is %s", (text, iso) => {
  expect(parseExpiryDate(text, now).toISOString()).toBe(iso);
});

test.each([
  "",
  "soon",
  "1",
  "2027",
  "2027-02-30",
  "2027-13-01",
  "2027-01-31T12:00",
  "2027-01-31 12:00Z",
  "31.01.2027",
])("%j is no date", (text) => {
  expect(() => parseExpiryDate(text, now)).toThrow(/not a date/);
});

test.each(["2026-06-01", "2020-01-01"])("%s is over", (text) => {
  expect(() => parseExpiryDate(text, now)).toThrow(/is over/);
});
