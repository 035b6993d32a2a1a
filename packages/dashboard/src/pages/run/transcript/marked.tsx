import { withoutAnsi } from "../../../parts/ansi-spans.ts";

/** The text, with what is searched for marked in it. */
export function Marked({ text, search }: { text: string; search: string }) {
  const asked = search.trim();
  const seen = withoutAnsi(text);
  if (asked === "") return seen;
  const parts: { from: number; part: string; found: boolean }[] = [];
  const lower = seen.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(asked.toLowerCase()); at >= 0; at = lower.indexOf(asked.toLowerCase(), from)) {
    parts.push({ from, part: seen.slice(from, at), found: false });
    parts.push({ from: at, part: seen.slice(at, at + asked.length), found: true });
    from = at + asked.length;
  }
  parts.push({ from, part: seen.slice(from), found: false });
  return parts.map(({ from: key, part, found }) =>
    found ? (
      <mark key={`${key} found`} className="rounded-md bg-blocked-tint text-blocked">
        {part}
      </mark>
    ) : (
      part
    ),
  );
}
