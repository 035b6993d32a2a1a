import type { Place } from "./place.ts";

export interface Fetched {
  /** 0 when there was no answer. */
  status: number;
  body: string;
}

/** A request by curl in a place, trusting whatever certificate is shown: what is tested is who is reached. */
export async function curl(place: Place, ...words: readonly string[]): Promise<Fetched> {
  const { stdout } = await place.run([...command, ...words]);
  return fetched(stdout);
}

/** One request after the other, by one command. */
export async function curlEach(
  place: Place,
  urls: readonly string[],
  ...words: readonly string[]
): Promise<Fetched[]> {
  const quoted = [...command, ...words].map((word) => `'${word}'`).join(" ");
  const { stdout } = await place.run(["sh", "-c", `for url; do ${quoted} "$url"; echo; done`, "sh", ...urls]);
  return stdout
    .split(/(?<=\n\d{3})\n/)
    .slice(0, -1)
    .map(fetched);
}

const command = ["curl", "--silent", "--insecure", "--max-time", "8", "--write-out", "\n%{http_code}"];

function fetched(stdout: string): Fetched {
  const at = stdout.lastIndexOf("\n");
  return { status: Number(stdout.slice(at + 1)), body: stdout.slice(0, Math.max(0, at)).trimEnd() };
}
