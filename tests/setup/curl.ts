import type { Place } from "./place.ts";

export interface Fetched {
  /** 0 when there was no answer. */
  status: number;
  body: string;
}

/** A request by curl in a place, trusting whatever certificate is shown: what is tested is who is reached. */
export async function curl(place: Place, ...words: readonly string[]): Promise<Fetched> {
  const own = ["curl", "--silent", "--insecure", "--max-time", "8", "--write-out", "\n%{http_code}"];
  const { stdout } = await place.run([...own, ...words]);
  const at = stdout.lastIndexOf("\n");
  return { status: Number(stdout.slice(at + 1)), body: stdout.slice(0, Math.max(0, at)).trimEnd() };
}
