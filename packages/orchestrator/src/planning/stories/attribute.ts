/** `- needs: one, two`, below a title: with or without the dash. */
const attribute = /^(?:[-*+][ \t]+)?([A-Za-z]+):(?:[ \t]+(.*))?$/;

/** How each is written: one value, or several between commas; a command may have commas, and each has its own line. */
const attributes = {
  key: "one",
  role: "one",
  risk: "one",
  estimate: "one",
  needs: "list",
  allowedPaths: "list",
  mayChange: "list",
  verify: "line",
} as const;

/** What a line of a checklist says, where it has the form of an attribute. */
export function attributeIn(line: string): { name: string; written: string } | undefined {
  const [, name, written = ""] = attribute.exec(line) ?? [];
  return name === undefined ? undefined : { name, written: written.trim() };
}

export function isAttribute(name: string): name is keyof typeof attributes {
  return Object.hasOwn(attributes, name);
}

/** Whether a second line would take the first one back. */
export function isSaidOnce(name: keyof typeof attributes): boolean {
  return attributes[name] === "one";
}

/** As somebody writes it who does not look it up: with other capitals, or one more or fewer. */
export function isNearlyAttribute(name: string): boolean {
  const bare = (word: string): string => word.toLowerCase().replace(/s$/, "");
  return Object.keys(attributes).some((word) => bare(word) === bare(name));
}

export function notAnAttribute(name: string): string {
  const known = Object.keys(attributes).join(", ");
  return `${JSON.stringify(name)} is not a word of a story: there are ${known}; an empty line stands in front of instructions`;
}

/** Its value after this line; `before` is what lines above it said. */
export function attributeValue(name: keyof typeof attributes, written: string, before: unknown): unknown {
  const kind = attributes[name];
  if (kind === "one") return unquoted(written);
  return [...[before ?? []].flat(), ...(kind === "list" ? itemsOf(written) : [unquoted(written)])];
}

/** Commas between backticks, and those of a glob such as `src/{a,b}`, separate nothing. */
function itemsOf(written: string): string[] {
  const items = written.match(/(?:`[^`]*`|\{(?:[^{}]|\{[^{}]*\})*\}|[^,])+/g) ?? [];
  return items.map(unquoted).filter(Boolean);
}

/** Between backticks nothing is taken for Markdown; they are not part of it. */
function unquoted(value: string): string {
  return value.trim().replace(/^`(.*)`$/, "$1");
}
