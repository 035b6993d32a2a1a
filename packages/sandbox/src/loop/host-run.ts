import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loopCredentials } from "./loop-surroundings.ts";
import { type LoopTool, loopOf } from "./loop-tool.ts";

/**
 * Runs something on the host with what the port of credentials has for it. The folder is of this run alone; it and
 * what was given end with it.
 */
export async function duringHostRun<T>(
  { name, tool }: { name: string; tool: LoopTool },
  act: (run: { folder: string; env: Record<string, string> }) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "opentiger-host-"));
  try {
    const about = { run: randomUUID(), name, loop: loopOf(name, tool), tool, folder };
    const run = await loopCredentials().hostRun?.(about);
    try {
      return await act({ folder, env: run?.env ?? {} });
    } finally {
      await run?.end();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
