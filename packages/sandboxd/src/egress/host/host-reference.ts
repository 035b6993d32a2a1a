/**
 * A second reading of hosts, for tests only: one automaton over code points and hand-written address arithmetic, where
 * host.ts uses patterns and Node's own parsers. The two must agree on every text.
 */
export function referenceHost(text: string): string | undefined {
  if (text.length > 1024) return undefined;
  const bare = unbracketed(text);
  if (bare === undefined) return undefined;
  if (bare !== text || text.indexOf(":") >= 0) return referenceIpv6(bare);
  const ascii = toAscii(text);
  if (ascii === undefined) return undefined;
  const quad = dottedQuad(ascii);
  if (quad) return ascii === text.toLowerCase() ? quad.join(".") : undefined;
  return referenceName(ascii);
}

function unbracketed(text: string): string | undefined {
  const opens = text[0] === "[";
  const closes = text[text.length - 1] === "]";
  if (opens !== closes || (opens && text.length < 2)) return undefined;
  return opens ? text.slice(1, text.length - 1) : text;
}

/** Unicode goes through the URL parser, after everything was refused that means something else in a URL. */
function toAscii(text: string): string | undefined {
  let foreign = false;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code > 127) foreign = true;
    else if (!isLetterDigit(character.toLowerCase()) && !"._-".includes(character)) return undefined;
  }
  if (!foreign) return text.toLowerCase();
  try {
    return new URL(`ws://${text}`).hostname;
  } catch {
    return undefined;
  }
}

function referenceName(text: string): string | undefined {
  const labels = text.split(".");
  if (labels.length > 1 && labels[labels.length - 1] === "") labels.pop();
  let total = labels.length - 1;
  for (const label of labels) {
    total += label.length;
    if (label.length < 1 || label.length > 63) return undefined;
    for (const character of label)
      if (!isLetterDigit(character) && !"_-".includes(character)) return undefined;
    if (label[0] === "-" || label[label.length - 1] === "-") return undefined;
  }
  const last = labels[labels.length - 1] ?? "";
  return total > 253 || isNumber(last) ? undefined : labels.join(".");
}

/** Digits, or what C reads as hexadecimal digits. */
function isNumber(label: string): boolean {
  const digits = label.startsWith("0x") ? label.slice(2) : label;
  const allowed = label.startsWith("0x") ? "0123456789abcdef" : "0123456789";
  return Array.from(digits).every((digit) => allowed.includes(digit));
}

function isLetterDigit(character: string): boolean {
  return (character >= "a" && character <= "z") || (character >= "0" && character <= "9");
}

function dottedQuad(text: string): number[] | undefined {
  const parts = text.split(".");
  const numbers = parts.map(Number);
  const isQuad =
    parts.length === 4 &&
    parts.every((part, index) => String(numbers[index]) === part && /^[0-9]+$/.test(part));
  return isQuad && numbers.every((number) => number <= 255) ? numbers : undefined;
}

/** RFC 4291 in, RFC 5952 out; an IPv4 address that is only wrapped comes out as itself. */
function referenceIpv6(text: string): string | undefined {
  const groups = ipv6Groups(text);
  if (!groups) return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  }
  return compressed(groups);
}

function ipv6Groups(text: string): number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const sides = halves.map((half, index) => sideGroups(half, index === halves.length - 1));
  const [head, tail] = sides;
  if (!head || (halves.length === 2 && !tail)) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  return missing < 1 ? undefined : [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])];
}

function sideGroups(side: string, isLast: boolean): number[] | undefined {
  if (side === "") return [];
  const groups: number[] = [];
  const parts = side.split(":");
  for (const [index, part] of parts.entries()) {
    const quad = isLast && index === parts.length - 1 ? dottedQuad(part) : undefined;
    if (quad) {
      const [a = 0, b = 0, c = 0, d = 0] = quad;
      groups.push(a * 256 + b, c * 256 + d);
    } else if (
      part.length >= 1 &&
      part.length <= 4 &&
      Array.from(part.toLowerCase()).every((digit) => "0123456789abcdef".includes(digit))
    ) {
      groups.push(Number.parseInt(part, 16));
    } else return undefined;
  }
  return groups;
}

function compressed(groups: number[]): string {
  let best = { at: -1, length: 1 };
  for (let at = 0; at < 8; at += 1) {
    let length = 0;
    while (at + length < 8 && groups[at + length] === 0) length += 1;
    if (length > best.length) best = { at, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.at === -1) return hex.join(":");
  return `${hex.slice(0, best.at).join(":")}::${hex.slice(best.at + best.length).join(":")}`;
}
