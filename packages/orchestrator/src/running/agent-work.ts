import { randomUUID } from "node:crypto";
import type { AgentOutcome, AgentTask } from "@opentiger/agents";
import type { Sandbox } from "@opentiger/sandbox";
import { agentFailure, tokenCount } from "@opentiger/schema";
import { z } from "zod";
import { projectInstructions } from "../planning/project-instructions.ts";
import { withAgent } from "./agent.ts";
import { commandsOf } from "./checks.ts";
import { disputeFile } from "./inside.ts";
import { goOnPrompt, type PromptParts, taskPrompt } from "./prompt.ts";
import type { StartPoint } from "./start-point.ts";
import type { Work } from "./work.ts";

export const knownWorked = z.object({
  failure: agentFailure.nullable(),
  session: z.string().nullable(),
  lastText: z.string().nullable(),
  tokens: tokenCount.nullable(),
  usd: z.number().nullable(),
});
/** What is to be known of what the agent came to. */
export type Worked = z.infer<typeof knownWorked>;

/** Lets the agent work, once: after a crash it is gone on with, and one that has ended is not asked again. */
export async function letAgentWork(work: Work, sandbox: Sandbox, start: StartPoint): Promise<Worked> {
  const { place, lease, loop, run, choice, signal, project } = work;
  return work.journal.step("worked", knownWorked, async () => {
    const parts = promptParts(work, sandbox, start);
    const resumed = resumedSession(work);
    const outcome = await withAgent(place, {
      lease,
      loop,
      run,
      choice,
      sandbox,
      signal,
      task: await agentTask(work, sandbox, {
        prompt: resumed ? goOnPrompt(parts) : taskPrompt(parts),
        session: resumed ?? { kind: "new", id: randomUUID() },
      }),
      promptIfFresh: taskPrompt(parts),
      // In a sandbox they are there already, with its own words for this machine.
      env: sandbox.backend === "host" ? project.env : {},
      timeoutMs: place.config.get("OPENTIGER_RUN_TIMEOUT"),
    });
    return workedOf(outcome);
  });
}

async function agentTask(
  work: Work,
  sandbox: Sandbox,
  asked: Pick<AgentTask, "prompt" | "session">,
): Promise<AgentTask> {
  const { place, choice, repository, loopBase: baseOid } = work;
  const commands = commandsOf(work).map(({ command }) => command);
  return {
    ...asked,
    ...(choice.model === undefined ? {} : { model: choice.model }),
    instructions: await projectInstructions({ repository, baseOid }),
    projectSettings: place.config.get("OPENTIGER_PROJECT_SETTINGS"),
    permissions: sandbox.backend === "host" ? { kind: "edits", commands } : { kind: "full" },
  };
}

/** A conversation is its agent's: another one cannot go on with it. */
function resumedSession({ task: { rework }, choice }: Work): AgentTask["session"] | undefined {
  if (!rework?.session || rework.agent !== choice.name) return undefined;
  return { kind: "resumed", id: rework.session };
}

function promptParts(work: Work, sandbox: Sandbox, { base, locked, patch }: StartPoint): PromptParts {
  const { task, loop, testsFirst } = work;
  return {
    task,
    requirement: loop.requirement,
    verify: commandsOf(work),
    locked: locked.map(({ path }) => path),
    disputeFile: disputeFile(sandbox),
    base,
    testsFirst,
    rework: task.rework && { failure: task.rework.failure, points: task.rework.points, patch },
  };
}

/** What the gateway counted is what counts; without one, what the CLI says. */
function workedOf(outcome: AgentOutcome): Worked {
  const { gateway, cli, session, lastText } = outcome;
  const counted = gateway && gateway.requests > 0 ? gateway : undefined;
  const priced = counted && counted.unpriced === 0 ? counted.usd : null;
  return {
    failure: outcome.ok ? null : outcome.failure,
    session,
    lastText,
    tokens: counted ? tokenCount.parse(counted.tokens) : cli.tokens,
    usd: counted ? priced : cli.usd,
  };
}
