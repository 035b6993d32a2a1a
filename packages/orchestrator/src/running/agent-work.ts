import { randomUUID } from "node:crypto";
import type { AgentOutcome, AgentTask } from "@opentiger/agents";
import type { Sandbox } from "@opentiger/sandbox";
import { agentFailure, type TokenCount, tokenCount } from "@opentiger/schema";
import { z } from "zod";
import { withAgent } from "../agent/agent.ts";
import { usageOfTotals } from "../agent/gateway.ts";
import { projectInstructions } from "../planning/project-instructions.ts";
import type { TaskMessageRow } from "../state/task-messages.ts";
import { allowances } from "./allowances.ts";
import { commandsOf } from "./checks.ts";
import { disputeFile } from "./inside.ts";
import { goOnPrompt, messagePrompt, type PromptParts, taskPrompt } from "./prompt.ts";
import { saidBefore } from "./said-before.ts";
import type { StartPoint } from "./start-point.ts";
import { afterTurn, firstMessages, moreMessages } from "./turns.ts";
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

/**
 * Lets the agent work, once: after a crash it is gone on with, and one that has ended is not asked again. When people
 * step in, its turn is ended and the next one goes on in the same conversation with what they said; so it is for what
 * they say when it has just ended. What they say to one that failed waits for the next run.
 */
export async function letAgentWork(
  work: Work,
  sandbox: Sandbox,
  start: StartPoint,
): Promise<Worked & { turn: number }> {
  let [turn, said] = [0, await firstMessages(work)];
  let worked = await letTurn(work, sandbox, start, { turn, said });
  for (;;) {
    const more = hears(worked) ? await moreMessages(work, turn + 1) : [];
    if (more.length === 0) return { ...worked, turn };
    [turn, said] = [turn + 1, more];
    worked = await letTurn(work, sandbox, start, { turn, said, before: worked });
  }
}

/** Not one that failed. We ended it ourselves where somebody stepped in, and then there is something to hear. */
function hears({ failure }: Worked): boolean {
  return failure === null || failure.type === "denied" || failure.type === "cancelled";
}

interface Turn {
  turn: number;
  said: readonly TaskMessageRow[];
  /** What the turn before came to. */
  before?: Worked;
}

async function letTurn(work: Work, sandbox: Sandbox, start: StartPoint, about: Turn): Promise<Worked> {
  const { place, lease, loop, run, choice, signal, project } = work;
  const { turn, said, before } = about;
  return afterTurn(work, turn).journal.step("worked", knownWorked, async () => {
    const parts = await promptParts(work, sandbox, start, said);
    const outcome = await withAgent(place, {
      lease,
      loop,
      run,
      choice,
      sandbox,
      signal,
      turn,
      said,
      task: await agentTask(work, sandbox, asked(work, parts, about)),
      promptIfFresh: taskPrompt(parts),
      // In a sandbox they are there already, with its own words for this machine.
      env: sandbox.backend === "host" ? project.env : {},
      timeoutMs: place.config.get("OPENTIGER_RUN_TIMEOUT"),
    });
    return workedOf(outcome, before);
  });
}

/** In the conversation that there is, only what is new is said. */
function asked(work: Work, parts: PromptParts, { turn, said, before }: Turn): Asked {
  const fresh: Asked = { prompt: taskPrompt(parts), session: { kind: "new", id: randomUUID() } };
  if (turn > 0) {
    const session = before?.session ?? null;
    return session === null
      ? fresh
      : { prompt: messagePrompt(said), session: { kind: "resumed", id: session } };
  }
  const session = resumedSession(work);
  return session ? { prompt: goOnPrompt(parts), session } : fresh;
}

type Asked = Pick<AgentTask, "prompt" | "session">;

async function agentTask(work: Work, sandbox: Sandbox, told: Asked): Promise<AgentTask> {
  const { place, choice, repository, loopBase: baseOid } = work;
  const commands = commandsOf(work).map(({ command }) => command);
  return {
    ...told,
    ...(choice.model === undefined ? {} : { model: choice.model }),
    instructions: await projectInstructions({ repository, baseOid }),
    ...allowances(place.config, sandbox.backend, commands),
  };
}

/** A conversation is its agent's: another one cannot go on with it. */
function resumedSession({ task: { rework }, choice }: Work): AgentTask["session"] | undefined {
  if (!rework?.session || rework.agent !== choice.name) return undefined;
  return { kind: "resumed", id: rework.session };
}

async function promptParts(
  work: Work,
  sandbox: Sandbox,
  { base, locked, patch }: StartPoint,
  said: readonly TaskMessageRow[],
): Promise<PromptParts> {
  const { place, task, loop, testsFirst } = work;
  return {
    task,
    requirement: loop.requirement,
    verify: commandsOf(work),
    locked: locked.map(({ path }) => path),
    disputeFile: disputeFile(sandbox),
    base,
    testsFirst,
    rework: task.rework && { failure: task.rework.failure, points: task.rework.points, patch },
    saidBefore: await saidBefore(place.database, task, said),
    saidNow: said,
  };
}

/** What the gateway counted is what counts, of all turns together; without one, what the CLI says of each. */
function workedOf(outcome: AgentOutcome, before: Worked | undefined): Worked {
  const { gateway, cli, session, lastText } = outcome;
  const counted = usageOfTotals(gateway);
  return {
    failure: outcome.ok ? null : outcome.failure,
    session: session ?? before?.session ?? null,
    lastText,
    tokens: counted ? counted.tokens : sumOfTokens(before?.tokens, cli.tokens),
    usd: counted ? counted.usd : sum(before?.usd, cli.usd),
  };
}

function sumOfTokens(before: TokenCount | null | undefined, now: TokenCount | null): TokenCount | null {
  if (!before || !now) return before ?? now;
  return {
    input: before.input + now.input,
    output: before.output + now.output,
    cacheRead: before.cacheRead + now.cacheRead,
    cacheWrite: before.cacheWrite + now.cacheWrite,
  };
}

function sum(before: number | null | undefined, now: number | null): number | null {
  return before == null || now === null ? (before ?? now) : before + now;
}
