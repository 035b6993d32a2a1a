type Labels = Readonly<Record<string, string>>;
type Values = readonly (readonly [Labels, number])[];

interface Series {
  help: string;
  kind: "counter" | "gauge" | "histogram";
  values: Map<string, number>;
}

interface Durations {
  labels: Labels;
  /** How many took no longer than each of the bounds. */
  within: number[];
  count: number;
  sum: number;
}

/** In seconds: from what a page does not notice to what nobody waits for. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** More different ones are an error of ours; further ones are not counted. */
const maxValues = 2_000;

/** Numbers for Prometheus, in its text form. */
export class Metrics {
  readonly #series = new Map<string, Series>();
  readonly #durations = new Map<string, Map<string, Durations>>();

  count(name: string, help: string, labels: Labels = {}): void {
    const { values } = this.#of(name, help, "counter");
    const key = writeLabels(labels);
    if (values.size < maxValues || values.has(key)) values.set(key, (values.get(key) ?? 0) + 1);
  }

  /** Something took so long. */
  took(name: string, help: string, labels: Labels, seconds: number): void {
    this.#of(name, help, "histogram");
    const all = this.#durations.get(name) ?? new Map<string, Durations>();
    this.#durations.set(name, all);
    const key = writeLabels(labels);
    const known = all.get(key) ?? { labels, within: bounds.map(() => 0), count: 0, sum: 0 };
    if (all.size >= maxValues && !all.has(key)) return;
    all.set(key, known);
    known.count += 1;
    known.sum += seconds;
    for (const [index, bound] of bounds.entries())
      if (seconds <= bound) known.within[index] = (known.within[index] ?? 0) + 1;
  }

  /** All values of a gauge, in place of those of before. */
  set(name: string, help: string, values: Values): void {
    this.#put(name, help, "gauge", values);
  }

  /** The same for what only ever grows, and is counted elsewhere. */
  setTotal(name: string, help: string, values: Values): void {
    this.#put(name, help, "counter", values);
  }

  write(): string {
    const lines = [...this.#series].flatMap(([name, { help, kind, values }]) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${kind}`,
      ...[...values].map(([labels, value]) => `${name}${labels} ${value}`),
      ...[...(this.#durations.get(name)?.values() ?? [])].flatMap((each) => writeDurations(name, each)),
    ]);
    return `${lines.join("\n")}\n`;
  }

  #put(name: string, help: string, kind: Series["kind"], values: Values): void {
    this.#of(name, help, kind).values = new Map(
      values.map(([labels, value]) => [writeLabels(labels), value]),
    );
  }

  #of(name: string, help: string, kind: Series["kind"]): Series {
    const series = this.#series.get(name) ?? { help, kind, values: new Map() };
    this.#series.set(name, series);
    return series;
  }
}

function writeDurations(name: string, { labels, within, count, sum }: Durations): string[] {
  const bucket = (le: string, value: number) => `${name}_bucket${writeLabels({ ...labels, le })} ${value}`;
  return [
    ...bounds.map((bound, index) => bucket(`${bound}`, within[index] ?? 0)),
    bucket("+Inf", count),
    `${name}_sum${writeLabels(labels)} ${sum}`,
    `${name}_count${writeLabels(labels)} ${count}`,
  ];
}

function writeLabels(labels: Labels): string {
  const written = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`,
  );
  return written.length === 0 ? "" : `{${written.join(",")}}`;
}
