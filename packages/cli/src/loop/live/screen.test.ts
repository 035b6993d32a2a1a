import { expect, test } from "vitest";
import { Screen } from "./screen.ts";

const esc = "\u001b";
const pieces = new RegExp(`${esc}\\[\\??[0-9]*[A-Za-z]|\\n|\\r|[^${esc}\\n\\r]+`, "g");

/** Enough of a terminal to see what a person would see at the end. */
function terminal(columns = 20) {
  const rows: string[] = [""];
  let row = 0;
  const out = {
    columns,
    rows: 10,
    written: "",
    write(text: string) {
      out.written += text;
      for (const [part] of text.matchAll(pieces)) take(part);
    },
    get shown() {
      return rows
        .map((each) => each.trimEnd())
        .join("\n")
        .trimEnd();
    },
  };
  return out;

  function take(part: string): void {
    const count = Number(/\d+/.exec(part)?.[0] ?? 1);
    if (part === "\n") row += 1;
    else if (part.endsWith("A") && part.startsWith(esc)) row = Math.max(0, row - count);
    else if (part.endsWith("B") && part.startsWith(esc)) row += count;
    else if (part === `${esc}[2K`) rows[row] = "";
    else if (part === `${esc}[J`) rows.splice(row);
    else if (!part.startsWith(esc) && part !== "\r") rows[row] = part;
    while (rows.length <= row) rows.push("");
  }
}

test("lines are drawn in place, and only those that changed are written", () => {
  const out = terminal();
  const screen = new Screen(out);
  screen.draw(["one", "two"]);
  out.written = "";
  screen.draw(["one", "2"]);
  expect(out.shown).toBe("one\n2");
  expect(out.written).not.toContain("one");
  out.written = "";
  screen.draw(["one", "2"]);
  expect(out.written).toBe("");
});

test("what is printed stands above, and fewer lines leave nothing behind", () => {
  const out = terminal();
  const screen = new Screen(out);
  screen.draw(["one", "two", "three"]);
  screen.print("something happened\n");
  screen.draw(["one"]);
  screen.print("and more\n");
  expect(out.shown).toBe("something happened\nand more\none");
  screen.end("go");
  expect(out.shown).toBe("something happened\nand more");
});

test("the cursor is shown again at the end", () => {
  const out = terminal();
  const screen = new Screen(out);
  screen.draw(["one"]);
  screen.end("stay");
  expect(out.written.endsWith(`${esc}[?25h`)).toBe(true);
  expect(out.shown).toBe("one");
});
