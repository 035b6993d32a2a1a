import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "../errors.ts";
import type { Surroundings } from "../program/surroundings.ts";

/**
 * Hands a text to the user's editor and what came of it to `use`. What cannot be used is not lost: the file stays, and
 * its name is said.
 */
export async function inEditor(
  text: string,
  { env, stderr }: Surroundings,
  use: (written: string) => Promise<void>,
): Promise<void> {
  const file = join(mkdtempSync(join(tmpdir(), "opentiger-")), "instructions.md");
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
  let keep = false;
  try {
    await edit(file, env["VISUAL"] || env["EDITOR"] || "vi", env);
    const written = readFileSync(file, "utf8").trim();
    if (written === text.trim()) return void stderr.write("nothing is changed\n");
    keep = true;
    await use(written);
    keep = false;
  } finally {
    if (keep) stderr.write(`what you have written is in ${file}\n`);
    else rmSync(dirname(file), { recursive: true, force: true });
  }
}

/** By a shell, since it may have options: `code --wait`. */
async function edit(file: string, editor: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { env, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code === 0) return;
  throw new UsageError(
    `the editor (${editor}) ended with ${code ?? "a signal"}, and nothing is changed`,
    "Set EDITOR to one that is here, or give --instructions TEXT or -f FILE.",
  );
}
