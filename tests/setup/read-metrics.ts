/** The text form of Prometheus, by name and labels as they are written. A line that is none of it is an error. */
export function readMetrics(text: string): { kinds: Map<string, string>; values: Map<string, number> } {
  const kinds = new Map<string, string>();
  const values = new Map<string, number>();
  for (const line of text.split("\n").filter((each) => each !== "" && !each.startsWith("# HELP "))) {
    const [, name = "", kind] = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (kind !== undefined) {
      kinds.set(name, kind);
      continue;
    }
    const [, key, value] = /^([a-z_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)+\})?) (\S+)$/.exec(line) ?? [];
    if (key === undefined || Number.isNaN(Number(value))) throw new Error(`this is no metric: ${line}`);
    values.set(key, Number(value));
  }
  return { kinds, values };
}
