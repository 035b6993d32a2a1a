import { describe, expect, it } from "vitest";
import { Unreadable } from "./reported-test.ts";
import { scanXml } from "./xml.ts";

function texts(document: string): string {
  return [...scanXml(document)]
    .map((event) => (event.kind === "text" ? event.text() : `<${event.name}>`))
    .join("");
}

describe("an XML document", () => {
  it("is told in its order, with comments left out and characters decoded", () => {
    const document = `<?xml version="1.0"?><!-- x --><a b="1 &lt; 2" c='"'>&#65;&#x42;<![CDATA[<&>]]><d/></a>\n`;
    const events = [...scanXml(document)];
    expect(events[0]).toEqual({
      kind: "open",
      name: "a",
      attributes: new Map([
        ["b", "1 < 2"],
        ["c", '"'],
      ]),
    });
    expect(texts(document)).toBe("<a>AB<&><d><d><a>");
  });

  it.each([
    ["has entities of its own", `<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`],
    ["names a file", `<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>`],
    ["has entities inside", `<a><!ENTITY x "y"></a>`],
    ["ends too early", "<a><b></b>"],
    ["closes what is not open", "<a></b></a>"],
    ["has two roots", "<a/><a/>"],
    ["has text around", "<a/>text"],
    ["is empty", " \n"],
    ["has an attribute twice", `<a b="1" b="2"/>`],
    ["has an attribute without quotes", "<a b=1/>"],
    ["has a comment without an end", "<a><!-- "],
    ["has half a tag", "<a b='"],
    ["is not XML", "ok 1 - this is something else"],
  ])("that %s is refused", (_what, document) => {
    expect(() => [...scanXml(document)]).toThrow(Unreadable);
  });

  it("cannot refer to anything that is not in it", () => {
    expect(texts("<a>&x;&file;&#99999999;</a>")).toBe("<a>&x;&file;&#99999999;<a>");
  });

  it.each([
    ["nests without an end", "<a>".repeat(300_000)],
    ["nests deeper than any report", `${"<a>".repeat(65)}${"</a>".repeat(65)}`],
    ["has attributes without an end", `<a ${'b="c" '.repeat(150_000)}>`],
    [
      "has more attributes than any report",
      `<a ${Array.from({ length: 101 }, (_, n) => `b${n}=""`).join(" ")}/>`,
    ],
    ["has a name without an end", `<${"a".repeat(1_000_000)}`],
    ["has a name that is longer than any", `<${"a".repeat(201)}/>`],
    ["has blanks without an end", `<a${" ".repeat(1_000_000)}`],
    ["opens quotes without an end", `<a b="${"x".repeat(1_000_000)}`],
    ["opens comments without an end", `<a>${"<!--".repeat(250_000)}`],
    ["has nothing but openings", "<".repeat(1_000_000)],
  ])("that %s is refused at once", (_what, document) => {
    expect(() => [...scanXml(document)]).toThrow(Unreadable);
  });

  it("of megabytes is read in one pass", () => {
    const many = `<a>${"<b c='&amp;&amp;&amp;'/>&amp; ".repeat(100_000)}</a>`;
    let count = 0;
    for (const _event of scanXml(many)) count += 1;
    expect(count).toBe(300_002);
  });
});
