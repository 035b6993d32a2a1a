import { z } from "zod";
import { jsonOf } from "./json-text.ts";
import { durationOf, durationUnits, sizeOf, sizeUnits } from "./units.ts";

/** One key of `system_config`: what it is for, what may stand there, and how that is read. */
export interface ConfigKey<Value> {
  /** What it is for, in a sentence. */
  readonly about: string;
  /** What may stand there, as in "must be …". */
  readonly expects: string;
  /** The words to choose from, where there are only these. */
  readonly choices: readonly string[] | null;
  readonly fallback: ConfigReading<Value>;
  /** Text of the environment and JSON of the table alike. undefined: it may not stand there. */
  read(raw: unknown): ConfigReading<Value> | undefined;
}

/** A value as the program uses it, and as it is stored and shown; that one reads as the same value again. */
export interface ConfigReading<Value> {
  readonly value: Value;
  readonly json: ConfigJson;
}

export type ConfigJson = string | number | readonly string[] | null;

export function choice<const Words extends readonly [string, string, ...string[]]>(
  choices: Words,
  fallback: Words[number],
  about: string,
): ConfigKey<Words[number]> {
  const expects = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
  const shape = z.string().trim().pipe(z.enum(choices));
  return { ...key({ about, expects, shape, fallback, write: (value) => value }), choices };
}

type Range = readonly [least: number, most: number];

/** A whole number. */
export function whole(range: Range, fallback: number, about: string): ConfigKey<number> {
  const expects = `a whole number from ${range[0]} to ${range[1]}`;
  return key({ about, expects, shape: wholeShape(range), fallback, write: (value) => value });
}

/** A whole number that one may do without. */
export function limit(range: Range, fallback: number | null, about: string): ConfigKey<number | null> {
  const expects = `a whole number from ${range[0]} to ${range[1]}, or none`;
  return key({
    about,
    expects,
    shape: orNone(wholeShape(range)),
    fallback,
    write: (value) => value ?? "none",
  });
}

/** Dollars that one may do without. */
export function dollars(fallback: number | null, about: string): ConfigKey<number | null> {
  const written = /^\d{1,9}(\.\d{1,4})?$/;
  const read = z.union([z.number(), z.string().trim().regex(written).transform(Number)]);
  const shape = orNone(read.pipe(z.number().positive().max(1e9)));
  const expects = "dollars, such as 2.50, or none";
  return key({ about, expects, shape, fallback, write: (value) => value ?? "none" });
}

type Bounds = readonly [least: string, most: string];

/** A time in milliseconds. */
export function duration([least, most]: Bounds, fallback: string, about: string): ConfigKey<number> {
  const expects = `a time from ${least} to ${most}, such as 90s, 30m, 2h or 7d`;
  const { ms: _, ...units } = durationUnits;
  return withUnits(units, durationOf, [least, most], { about, expects, fallback });
}

/** A number of bytes. */
export function size([least, most]: Bounds, fallback: string, about: string): ConfigKey<number> {
  const expects = `a size from ${least} to ${most}, such as 500m or 10g`;
  const { b: _, ...units } = sizeUnits;
  return withUnits(units, sizeOf, [least, most], { about, expects, fallback });
}

interface TextRules {
  expects: string;
  /** Of the whole text, which is trimmed and has at most 500 characters. */
  pattern: RegExp;
}

export function text<Fallback extends string | null>(
  { expects, pattern }: TextRules,
  fallback: Fallback,
  about: string,
): ConfigKey<string | Fallback> {
  const shape: z.ZodType<string | Fallback> = z.string().trim().max(500).regex(pattern);
  return key({ about, expects, shape, fallback, write: (value) => value });
}

/** A command as a list of words, so that nothing has to be quoted. */
export function words(about: string): ConfigKey<readonly string[] | null> {
  const list = z.array(z.string().min(1).max(4_000)).min(1).max(100);
  const shape = z.union([list, z.string().transform(jsonOf).pipe(list)]);
  const expects = 'a JSON list of words, such as ["my-agent", "--quiet"]';
  return key<readonly string[] | null>({ about, expects, shape, fallback: null, write: (value) => value });
}

interface KeyParts<Value> {
  about: string;
  expects: string;
  shape: z.ZodType<Value>;
  fallback: Value;
  write(value: Value): ConfigJson;
}

function key<Value>({ about, expects, shape, fallback, write }: KeyParts<Value>): ConfigKey<Value> {
  return {
    about,
    expects,
    choices: null,
    fallback: { value: fallback, json: write(fallback) },
    read: (raw) => {
      const parsed = shape.safeParse(raw);
      return parsed.success ? { value: parsed.data, json: write(parsed.data) } : undefined;
    },
  };
}

function wholeShape([least, most]: Range): z.ZodType<number> {
  const written = /^\d{1,15}$/;
  const read = z.union([z.number(), z.string().trim().regex(written).transform(Number)]);
  return read.pipe(z.number().int().min(least).max(most));
}

function orNone(shape: z.ZodType<number>): z.ZodType<number | null> {
  return z.union([z.literal("none").transform(() => null), shape]);
}

type Units = Readonly<Record<string, number>>;
type Description = { about: string; expects: string; fallback: string };

function withUnits(
  units: Units,
  parse: (written: string) => number | undefined,
  [least, most]: Bounds,
  described: Description,
): ConfigKey<number> {
  // Whole and with its unit, so that nobody has to know which one is meant without.
  const pattern = new RegExp(`^\\d{1,9}[${Object.keys(units).join("")}]$`, "i");
  const read = z.string().trim().regex(pattern).transform(parse).pipe(z.number());
  const shape = read.pipe(z.number().min(read.parse(least)).max(read.parse(most)));
  const fallback = shape.parse(described.fallback);
  return key({ ...described, shape, fallback, write: (value) => inLargestUnit(units, value) });
}

/** In the largest unit that leaves no rest. */
function inLargestUnit(units: Units, value: number): string {
  const fitting = Object.entries(units).filter(([, factor]) => value % factor === 0);
  const [unit, factor] = fitting.at(-1) ?? ["", 1];
  return `${value / factor}${unit}`;
}
