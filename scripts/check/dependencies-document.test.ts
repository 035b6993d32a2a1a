import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inCheckout } from "../setup/checkout.mjs";

const kinds = ["dependencies", "devDependencies", "optionalDependencies"];
const ours = "@opentiger/";

test("every dependency has its reason in docs/dependencies.md, and nothing else has one", () => {
  const folders = readdirSync(inCheckout("packages")).map((name) => inCheckout("packages", name));
  const used = new Set([inCheckout(), ...folders].flatMap(dependenciesOf));
  const rows = readFileSync(inCheckout("docs", "dependencies.md"), "utf8").match(/^\| `[^|]+\|/gm) ?? [];
  const explained = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1]));
  expect(new Set(explained)).toEqual(used);
});

function dependenciesOf(folder: string): string[] {
  const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {})).filter((name) => !name.startsWith(ours));
}
