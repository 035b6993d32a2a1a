import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openDatabase } from "@opentiger/orchestrator";
import { z } from "zod";
import { type Showcase, showcase } from "../../tests/browser/showcase.ts";
import { ownInstance } from "../demo/own-instance.ts";
import { makeSampleProject } from "../demo/sample-project.ts";
import { requirement, startScriptedModel } from "../demo/scripted-model.ts";
import { leaveNothing } from "../demo/tidy.ts";

const opentiger = fileURLToPath(new URL("../../packages/cli/dist/opentiger.js", import.meta.url));
const started = z.object({ url: z.string(), login: z.string() });

/** What somebody does in a sandbox, so that there are files, and a host that it may not reach. */
const visit = `curl -sS https://downloads.example/tool.tar.gz
echo 'Notes can be listed as JSON.' >> README.md
mkdir -p drafts && echo 'buy milk' > drafts/tomorrow.md`;

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
  const ask = async (method: string, path: string, body: unknown = {}): Promise<void> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  };
  return {
    url,
    login,
    /** A loop is worked off, and there are a sandbox that was denied something, secrets, a key and a bound for the day. */
    async fill(): Promise<void> {
      await run("run", requirement, "--repo", project);
      await run("sandbox", "create", "--name", "notes", "--clone", "--network", "deny", "shell", project);
      await run("sandbox", "exec", "notes", "sh", "-c", visit);
      await run("sandbox", "port", "notes", "3000");
      await ask("PUT", "/secrets/npm_token", { value: "a token of a registry" });
      await ask("PUT", "/secrets/deploy_key", { value: "a key of a server", expiresAt: inDays(3) });
      await ask("POST", "/auth/keys", { name: "ci" });
      await ask("PATCH", "/config", { OPENTIGER_DAY_USD: 10 });
    },
    /** Adds a week of work that nobody did; the dispatcher, which would take it up, is stopped. */
    async addWeek(): Promise<Showcase> {
      await ask("POST", "/system/processes/dispatcher/stop");
      const database = await openDatabase({ env, program: "screenshots" });
      try {
        const place = { database, folder: join(folder, "state") };
        const shown = await showcase({ parts: { place } });
        await database.query(
          "update repositories set path = $1, name = 'reports' where path = '/somewhere'",
          ["/home/una/reports"],
        );
        return shown;
      } finally {
        await database.close();
      }
    },
    async close(): Promise<void> {
      await leaveNothing(env);
      await model.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}
