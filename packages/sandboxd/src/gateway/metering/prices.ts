import { z } from "zod";
import data from "./prices.json" with { type: "json" };
import type { Tokens } from "./tokens.ts";

const rates = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  cacheWriteHour: z.number(),
});
type Rates = z.infer<typeof rates>;

const priceTable = z.object({
  /** As of when. */
  date: z.iso.date(),
  about: z.string(),
  /** A request whose whole input is above the bound costs these rates for all of it. */
  models: z.record(z.string(), rates.extend({ long: rates.extend({ above: z.number() }).optional() })),
});

export const prices = priceTable.parse(data);

const million = 1_000_000;

/**
 * What an answer costs at the published rates: on a subscription, what it would have cost with an API key. null for a
 * model that has no price here.
 */
export function costOf(model: string | null, tokens: Tokens): number | null {
  const listed = model === null ? undefined : prices.models[priceName(model)];
  if (!listed) return null;
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  const { input, output, cacheRead, cacheWrite, cacheWriteHour }: Rates =
    listed.long && prompt > listed.long.above ? listed.long : listed;
  const hour = Math.min(tokens.cacheWriteHour, tokens.cacheWrite);
  return (
    (tokens.input * input +
      tokens.output * output +
      tokens.cacheRead * cacheRead +
      (tokens.cacheWrite - hour) * cacheWrite +
      hour * cacheWriteHour) /
    million
  );
}

/** Without what does not change the price: a dated snapshot, a chosen window. */
function priceName(model: string): string {
  const bare = model.replace(/\[[^\]]*\]$/, "").replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "");
  return bare === "gpt-5.6" ? "gpt-5.6-sol" : bare;
}
