import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import { ownInstance } from "../demo/own-instance.ts";
import { makeSampleProject } from "../demo/sample-project.ts";
import { requirement, startScriptedModel } from "../demo/scripted-model.ts";
import { leaveNothing } from "../demo/tidy.ts";

const opentiger = fileURLToPath(new URL("../../packages/cli/dist/opentiger.js", import.meta.url));
const started = z.object({ url: z.string(), login: z.string() });
const list = z.object({ items: z.array(z.object({ id: z.string() })) });

/** An openTiger of its own with a scripted model, used as a person would. */
export async function startWorld() {
  const folder = mkdtempSync(join(tmpdir(), "opentiger-screenshots-"));
  const model = await startScriptedModel();
  const env = ownInstance(folder, model.url);
  const project = makeSampleProject(folder);
  const run = async (...words: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [opentiger, ...words], { env });
    return stdout;
  };
  const { url, login } = started.parse(JSON.parse(await run("up", "--detach", "--json")));
  return {
    url,
    login,
    /** One loop that is done, one that waits for its plan to be approved, and a sandbox that was denied something. */
    async fill(): Promise<void> {
      await run("run", requirement, "--repo", project);
      await run("run", requirement, "--repo", project, "--dry-run");
      await run("sandbox", "create", "--name", "notes", "--clone", "--network", "deny", "shell", project);
      const fetching = "curl -sS https://downloads.example/tool.tar.gz; true";
      await run("sandbox", "exec", "notes", "sh", "-c", fetching);
    },
    /** The newest of what the API lists there. */
    async newest(path: string): Promise<string> {
      const answer = await fetch(`${url}${path}`);
      return list.parse(await answer.json()).items[0]?.id ?? "";
    },
    async close(): Promise<void> {
      await leaveNothing(env);
      await model.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
