/** Headers that are about one connection, and not for whoever is behind it. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

/** Naming these in Connection does not remove them: without them the two sides would read different messages. */
const neverDropped = new Set(["host", "content-length"]);

/** Name and value by turns, as Node has them. */
export type RawHeaders = readonly string[];

export function endToEnd(raw: RawHeaders): string[] {
  const named = valuesOf(raw, "connection").flatMap((value) =>
    value.split(",").map((name) => name.trim().toLowerCase()),
  );
  const dropped = new Set([...hopByHop, ...named.filter((name) => !neverDropped.has(name))]);
  return pairs(raw)
    .filter(([name]) => !dropped.has(name.toLowerCase()))
    .flat();
}

export function without(raw: RawHeaders, header: string): string[] {
  return pairs(raw)
    .filter(([name]) => name.toLowerCase() !== header)
    .flat();
}

/** Every value of a header, in the order in which they stand there. */
export function valuesOf(raw: RawHeaders, header: string): string[] {
  return pairs(raw)
    .filter(([name]) => name.toLowerCase() === header)
    .map(([, value]) => value);
}

function pairs(raw: RawHeaders): [string, string][] {
  const result: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) result.push([raw[at] ?? "", raw[at + 1] ?? ""]);
  return result;
}
