type Labels = Readonly<Record<string, string>>;

interface Series {
  help: string;
  kind: "counter" | "gauge";
  values: Map<string, number>;
}

/** More different ones are an error of ours; further ones are not counted. */
const maxValues = 2_000;

/** Numbers for Prometheus, in its text form. */
export class Metrics {
  readonly #series = new Map<string, Series>();

  count(name: string, help: string, labels: Labels = {}): void {
    const { values } = this.#of(name, help, "counter");
    const key = writeLabels(labels);
    if (values.size < maxValues || values.has(key)) values.set(key, (values.get(key) ?? 0) + 1);
  }

  /** All values of a gauge, in place of those of before. */
  set(name: string, help: string, values: readonly (readonly [Labels, number])[]): void {
    this.#of(name, help, "gauge").values = new Map(
      values.map(([labels, value]) => [writeLabels(labels), value]),
    );
  }

  write(): string {
    const lines = [...this.#series].flatMap(([name, { help, kind, values }]) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${kind}`,
      ...[...values].map(([labels, value]) => `${name}${labels} ${value}`),
    ]);
    return `${lines.join("\n")}\n`;
  }

  #of(name: string, help: string, kind: Series["kind"]): Series {
    const series = this.#series.get(name) ?? { help, kind, values: new Map() };
    this.#series.set(name, series);
    return series;
  }
}

function writeLabels(labels: Labels): string {
  const written = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`,
  );
  return written.length === 0 ? "" : `{${written.join(",")}}`;
}
