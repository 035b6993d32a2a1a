import type { Asked } from "@opentiger/agents";
import { z } from "zod";
import { agentFor } from "../../../packages/orchestrator/src/agent/agent-choice.ts";
import { askAgent } from "../../../packages/orchestrator/src/agent/ask.ts";
import { authenticate } from "../../../packages/orchestrator/src/agent/credentials.ts";
import { openRun } from "../../../packages/orchestrator/src/agent/open-run.ts";
import { LoopRepository } from "../../../packages/orchestrator/src/git/repository.ts";
import type { Place } from "../../../packages/orchestrator/src/place.ts";
import { ensurePrepared } from "../../../packages/orchestrator/src/project/prepared.ts";
import { readProject } from "../../../packages/orchestrator/src/project/read-project.ts";
import { makeSandbox } from "../../../packages/orchestrator/src/project/sandbox.ts";
import type { Lease } from "../../../packages/orchestrator/src/state/lease.ts";
import { findLoop } from "../../../packages/orchestrator/src/state/loops.ts";
import { findRepository } from "../../../packages/orchestrator/src/state/repositories.ts";
import type { RunRow } from "../../../packages/orchestrator/src/state/runs.ts";
import { there } from "./there.ts";

/** That there are not so many cannot be said to a CLI: such an answer is sent back by us. */
const opinion = z.object({
  files: z
    .number()
    .int()
    .refine((files) => files < 100, "there are not so many"),
  kind: z.enum(["kind", "rude"]),
});
export type Opinion = z.infer<typeof opinion>;

/** A question as planner and judge ask it: whoever holds the lease asks, and whoever comes next asks the same. */
export async function askPlanner(
  place: Place,
  lease: Lease,
  signal: AbortSignal,
): Promise<{ run: RunRow; asked: Asked<Opinion> }> {
  const loop = there(await findLoop(place.database, lease.loop), "loop");
  const row = there(await findRepository(place.database, loop.repository), "repository");
  const repository = await LoopRepository.open(place, row, signal);
  const commit = there(loop.baseOid ?? undefined, "base");
  const project = await readProject(repository, commit, {});
  const choice = agentFor(place, loop, "planner");
  const run = await openRun(place, lease, { agent: choice.name, role: "planner", baseOid: commit });
  const environment = "sandbox";
  const agent = choice.driver.template;
  const about = { loop, repository, project, commit, environment, agent, signal, say: () => {} } as const;
  const prepared = await ensurePrepared(place, about);
  const name = `loop-${loop.id}-${agent}`;
  const sandbox = await makeSandbox(place, {
    ...about,
    name,
    prepared,
    redact: (text) => text,
    phase: "run",
  });
  try {
    await authenticate(place, sandbox);
    const prompt = "How many files are there, and are they kind?";
    const asked = await askAgent(place, {
      lease,
      loop,
      run,
      choice,
      sandbox,
      systemPrompt: "You only look.",
      prompt,
      signal,
      schema: opinion,
      instructions: [],
      projectSettings: "ignored",
      timeoutMs: 120_000,
    });
    return { run, asked };
  } finally {
    await sandbox.close();
  }
}
