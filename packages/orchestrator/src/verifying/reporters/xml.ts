import { Unreadable } from "./reported-test.ts";

export type XmlEvent =
  | { kind: "open"; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: "close"; name: string }
  /** Decoded when somebody asks: most of it nobody does. */
  | { kind: "text"; text: () => string };

/** Reports nest suites a few deep; whoever nests deeper wants something else. */
const maxDepth = 64;
const maxAttributes = 100;

const nameStart = /[A-Za-z_:]/;
const namePattern = /[A-Za-z_:][\w:.-]{0,199}/y;
const attributePattern = /\s+([A-Za-z_:][\w:.-]{0,199})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const tagEnd = /\s*(\/?)>/y;

/**
 * Tells what stands in an XML document, in one pass whose time and memory grow with its length only: untrusted code
 * wrote it. Document types, and with them all entities but the five of XML and characters by number, are refused, and
 * so is whatever is not well-formed to its end.
 */
export function* scanXml(text: string): Generator<XmlEvent> {
  const nesting = new Nesting();
  for (let at = 0; at < text.length; ) {
    const { next, event, isEmpty } = pieceAt(text, at);
    at = next;
    if (!event || !nesting.enter(event)) continue;
    yield event;
    if (!isEmpty || event.kind !== "open") continue;
    const end = { kind: "close", name: event.name } as const;
    nesting.enter(end);
    yield end;
  }
  nesting.end();
}

/** Which elements are open. */
class Nesting {
  readonly #open: string[] = [];
  #isBegun = false;

  /** false: it stands outside of everything and says nothing. */
  enter(event: XmlEvent): boolean {
    if (event.kind === "text") {
      if (this.#open.length === 0 && event.text().trim() !== "") {
        throw new Unreadable("has text outside of its elements");
      }
      return this.#open.length > 0;
    }
    if (event.kind === "close") {
      if (this.#open.pop() !== event.name)
        throw new Unreadable(`closes <${event.name}> where it is not open`);
      return true;
    }
    if (this.#isBegun && this.#open.length === 0) throw new Unreadable("has more than one root");
    this.#isBegun = true;
    if (this.#open.push(event.name) > maxDepth) throw new Unreadable(`nests more than ${maxDepth} deep`);
    return true;
  }

  end(): void {
    if (this.#open.length > 0) throw new Unreadable(`ends within <${this.#open.at(-1)}>`);
    if (!this.#isBegun) throw new Unreadable("is empty");
  }
}

/** What begins at a place, and where it ends; comments and instructions tell nothing. */
interface Piece {
  next: number;
  event?: XmlEvent;
  isEmpty?: boolean;
}

function pieceAt(text: string, at: number): Piece {
  if (text[at] !== "<") return textAt(text, at);
  if (text.startsWith("<!--", at)) return { next: behind(text, "-->", at) };
  if (text.startsWith("<?", at)) return { next: behind(text, "?>", at) };
  if (text.startsWith("<![CDATA[", at)) return literalAt(text, at);
  if (text.startsWith("<!", at)) throw new Unreadable("has a document type, which no report needs");
  return text.startsWith("</", at) ? closing(text, at) : opening(text, at);
}

function textAt(text: string, at: number): Piece {
  const tag = text.indexOf("<", at);
  const next = tag < 0 ? text.length : tag;
  const plain = text.slice(at, next);
  return { next, event: { kind: "text", text: () => decode(plain) } };
}

function literalAt(text: string, at: number): Piece {
  const next = behind(text, "]]>", at);
  const plain = text.slice(at + "<![CDATA[".length, next - "]]>".length);
  return { next, event: { kind: "text", text: () => plain } };
}

function opening(text: string, at: number): Piece {
  const name = match(namePattern, text, at + 1)?.[0];
  if (name === undefined) throw new Unreadable(`has a < at ${at} that begins nothing`);
  const attributes = new Map<string, string>();
  let next = at + 1 + name.length;
  for (;;) {
    const found = match(attributePattern, text, next);
    if (!found) break;
    const [whole, key = "", double, single] = found;
    if (attributes.has(key)) throw new Unreadable(`has ${key} twice in one element`);
    if (attributes.size >= maxAttributes) throw new Unreadable("has an element with too many attributes");
    attributes.set(key, decode(double ?? single ?? ""));
    next += whole.length;
  }
  const end = match(tagEnd, text, next);
  if (!end) throw new Unreadable(`has a <${name}> that is broken`);
  return { next: next + end[0].length, event: { kind: "open", name, attributes }, isEmpty: end[1] === "/" };
}

function closing(text: string, at: number): Piece {
  const name = match(namePattern, text, at + 2)?.[0] ?? "";
  const end = match(tagEnd, text, at + 2 + name.length);
  if (!end || end[1] === "/" || !nameStart.test(name))
    throw new Unreadable("has a closing tag that is broken");
  return { next: at + 2 + name.length + end[0].length, event: { kind: "close", name } };
}

function behind(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  if (found < 0) throw new Unreadable(`lacks a ${mark}`);
  return found + mark.length;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function decode(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(lt|gt|amp|quot|apos));/g, (whole, ...found) => {
    const [decimal, hexadecimal, name]: (string | undefined)[] = found;
    if (name !== undefined) return entities[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}
