import { appendFileSync } from "node:fs";
import { drivers, runAgent } from "@opentiger/agents";
import { connectDocker, HostBackend } from "@opentiger/sandbox";
import { beginGatewayRun, outwardThrough, Sandboxd } from "@opentiger/sandboxd";
import { z } from "zod";

/** What the process is told of the run that it starts. */
export const followed = z.object({
  agent: z.enum(["claude_code", "codex", "opencode"]),
  backend: z.enum(["host", "docker"]),
  sandbox: z.string(),
  id: z.string(),
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  prompt: z.string(),
  model: z.string(),
  session: z.string(),
  transcript: z.string(),
  /** On the host: what stands in place of a login. */
  folder: z.string(),
  /** What it heard goes there, a line each. */
  heard: z.string(),
});

/** A process that somebody will kill: it starts a real agent, and writes down what it hears of it. */
const about = followed.parse(JSON.parse(process.argv[2] ?? ""));
const driver = drivers[about.agent];
const sandboxd = new Sandboxd(process.env);
const outward = outwardThrough(sandboxd, process.env, undefined);
const backend = about.backend === "host" ? new HostBackend() : await connectDocker({ outward });
const sandbox = await backend.open(about.sandbox);
const { id, folder } = about;
const run = await runAgent({
  id,
  driver,
  sandbox,
  gateway: await beginGatewayRun(sandboxd, { run: id, sandbox, agent: driver.template, folder }),
  cwd: about.cwd,
  env: about.env,
  transcript: about.transcript,
  task: {
    prompt: about.prompt,
    model: about.model,
    instructions: [],
    projectSettings: "ignored",
    permissions: { kind: "full" },
    session: { kind: "new", id: about.session },
  },
});
for await (const event of run.events) appendFileSync(about.heard, `${JSON.stringify(event)}\n`);
