import { chmodSync, copyFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { opentigerBundle } from "./command-line.ts";
import { temporaryFolder } from "./temporary-workspace.ts";

/** The program where any user of this machine can read it; the clone may be below a home that is its owner's alone. */
export function readableBundle(): string {
  const copy = temporaryFolder("ot-bundle-");
  const from = dirname(opentigerBundle);
  for (const name of readdirSync(from).filter((each) => /\.c?js$/.test(each)))
    copyFileSync(join(from, name), join(copy, name));
  writeFileSync(join(copy, "package.json"), '{"type":"module"}');
  chmodSync(copy, 0o755);
  return join(copy, "opentiger.js");
}
