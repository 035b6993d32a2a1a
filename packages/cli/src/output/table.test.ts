import { expect, it } from "vitest";
import { renderTable } from "./table.ts";

const rows = [
  ["LOOP", "REQUIREMENT"],
  ["k3v9x0ab", "Add a --json flag to the list command"],
];

it("a table that is piped has all of it", () => {
  expect(renderTable(rows)).toBe(
    "LOOP       REQUIREMENT\nk3v9x0ab   Add a --json flag to the list command\n",
  );
});

it("a table on a terminal has lines that fit into it, with something of each column in a narrow one", () => {
  expect(renderTable(rows, 30)).toBe("LOOP       REQUIREMENT\nk3v9x0ab   Add a --json flag …\n");
  expect(renderTable(rows, 5)).toBe("LOOP       REQUIREMENT\nk3v9x0ab   Add a --jso…\n");
});
