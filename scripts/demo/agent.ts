import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { drivers, runAgent } from "@opentiger/agents";
import {
  editFile,
  finish,
  type ModelSim,
  readFile,
  runCommand,
  say,
  startModelSim,
} from "@opentiger/model-sim";
import type { Sandbox } from "@opentiger/sandbox";
import { beginGatewayRun, giveCredentials, type Sandboxd } from "@opentiger/sandboxd";
import type { AgentEvent } from "@opentiger/schema";

/** What takes the place of the model: everything around it is real. */
export function demoModel(): Promise<ModelSim> {
  return startModelSim({
    scenario: {
      steps: [
        say("I look at the greeting first."),
        readFile("greet.mjs"),
        editFile("greet.mjs", "Hello", "Good morning"),
        runCommand("node --test"),
        finish("The greeting is friendlier now, and its test passes."),
      ],
    },
  });
}

/** Lets the real Claude Code work on a task in the sandbox, and tells what it does as it does it. */
export async function letAgentWork(
  { sandbox, sandboxd, folder, cwd }: { sandbox: Sandbox; sandboxd: Sandboxd; folder: string; cwd: string },
  tell: (line: string) => void,
): Promise<boolean> {
  await giveCredentials(sandbox, "broker", process.env);
  const id = randomUUID();
  const gateway = await beginGatewayRun(sandboxd, { run: id, sandbox, agent: "claude" });
  const run = await runAgent({
    id,
    driver: drivers.claude_code,
    sandbox,
    cwd,
    gateway,
    transcript: join(folder, "transcript"),
    task: {
      prompt: "Make the greeting friendlier.",
      instructions: [],
      projectSettings: "ignored",
      permissions: { kind: "full" },
      session: { kind: "new", id: randomUUID() },
    },
  });
  for await (const event of run.events) {
    const line = sentenceOf(event);
    if (line) tell(line);
  }
  const outcome = await run.outcome;
  const { tokens, requests } = await gateway.usage();
  await gateway.end();
  tell(
    outcome.ok
      ? `done after ${(outcome.durationMs / 1000).toFixed(1)} s: ${requests} requests, ${tokens.output} tokens written`
      : `FAILED: ${outcome.failure.message} ${outcome.failure.remedy}`,
  );
  return outcome.ok;
}

function sentenceOf(event: AgentEvent): string | undefined {
  if (event.type === "text") return `says: ${event.text}`;
  if (event.type === "tool_call") return `${event.kind}: ${event.summary}`;
  if (event.type === "tool_result" && !event.ok) return "  which failed";
  return undefined;
}
