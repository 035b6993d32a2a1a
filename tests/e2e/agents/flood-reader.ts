import { randomUUID } from "node:crypto";
import { commandDriver, runAgent } from "@opentiger/agents";
import { connectDocker, HostBackend } from "@opentiger/sandbox";
import { type FloodRead, floodAsked } from "./flood-report.ts";

/** Follows one run after the other in a process of its own, so that its memory can be looked at. */
const about = floodAsked.parse(JSON.parse(process.argv[2] ?? ""));
const backend = about.backend === "host" ? new HostBackend() : await connectDocker();
const sandbox = await backend.open(about.sandbox);
for (const script of about.scripts) console.log(JSON.stringify(await read(script)));
await sandbox.close();

async function read(script: string): Promise<FloodRead> {
  const id = randomUUID();
  const run = await runAgent({
    id,
    driver: commandDriver({ command: ["node", "-e", script] }),
    sandbox,
    cwd: about.cwd,
    transcript: `${about.folder}/${id}`,
    task: {
      prompt: "",
      instructions: [],
      projectSettings: "ignored",
      permissions: { kind: "full" },
      session: { kind: "new", id: randomUUID() },
    },
  });
  let [events, texts, longest, whole] = [0, 0, 0, true];
  let last: string | null = null;
  for await (const event of run.events) {
    events += 1;
    whole &&= event.seq === events;
    if (event.type !== "text") continue;
    texts += 1;
    longest = Math.max(longest, event.text.length);
    last = event.text;
  }
  const { ok } = await run.outcome;
  return { ok, events, texts, whole, longest, last, peak: process.resourceUsage().maxRSS / 1024 };
}
