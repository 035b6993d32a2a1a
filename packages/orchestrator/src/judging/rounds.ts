import { type CheckRound, checkRound, type VerifyCommand } from "@opentiger/schema";
import { z } from "zod";
import { baselineOf, knownBaseline, rememberBaseline } from "../verifying/baseline.ts";
import { runChecks } from "../verifying/run-checks.ts";
import type { Judging } from "./judging.ts";
import { refuseMadeFiles } from "./made-files.ts";
import { preparedTip, withOwnSandbox } from "./own-sandbox.ts";
import { setUpAgain } from "./set-up-again.ts";
import { onBranch } from "./set-up-failure.ts";

export interface RoundRequest {
  /** By which its sandbox and its steps are known. */
  part: "checks" | "restored" | "held" | "own";
  tree: "as_is" | "restored";
  commit: string;
  commands: readonly VerifyCommand[];
  /** The candidate asks for other packages than the branch has. */
  isSetUpAgain: boolean;
  /** On this one as well: each of the commands is as red as on the worse of both. */
  beside?: Pick<RoundRequest, "part" | "commit">;
}

/** Runs these checks on a commit, in a sandbox in which nothing ran before; once, whoever dies meanwhile. */
export async function runRound(judging: Judging, request: RoundRequest): Promise<CheckRound> {
  const round = await onOneCommit(judging, request);
  if (!request.beside) return round;
  const { results } = await onOneCommit(judging, { ...request, ...request.beside });
  return { ...round, results: [...round.results, ...results] };
}

async function onOneCommit(
  judging: Judging,
  { part, tree, commit, commands, isSetUpAgain }: RoundRequest,
): Promise<CheckRound> {
  const { place, project, judgeRun, signal, redact } = judging;
  const execs = `${judgeRun.id}-${part}`;
  return judging.journal.step(`round-${part}`, checkRound, () =>
    withOwnSandbox(judging, { part, commit, phase: "verify", execs }, async (sandbox) => {
      await refuseMadeFiles(judging, sandbox, commit);
      // Once in each sandbox: where checks run already, it would take the candidate's tree from under them.
      if (isSetUpAgain)
        await judging.journal.step(`set-up-${part}-${sandbox.id}`, z.literal(true), async () => {
          await setUpAgain(judging, sandbox, { commit, execId: `${execs}-setup` });
          return true as const;
        });
      const results = await runChecks(sandbox, {
        commands,
        cwd: sandbox.workspaces[0]?.path ?? "/",
        env: project.env,
        timeoutMs: place.config.get("OPENTIGER_VERIFY_TIMEOUT"),
        id: execs,
        redact,
        signal,
      });
      return { tree, commit, results };
    }),
  );
}

/** How the project's checks stand on the branch, found out now where nobody did before. */
export async function roundBefore(judging: Judging): Promise<CheckRound> {
  const { place, loop, repository, project, tip: commit, environment, signal, redact } = judging;
  if (project.verify.length === 0) return { tree: "base", commit, results: [] };
  const { key } = await preparedTip(judging);
  const asked = { loop, repository, project, commit, environment, key };
  const known = await knownBaseline(place, asked);
  if (known) return known;
  const own = { part: "base", commit, phase: "verify", execs: "baseline" } as const;
  return onBranch(() =>
    withOwnSandbox(judging, own, (sandbox) => baselineOf(place, { ...asked, sandbox, signal, redact })),
  );
}

/** The next candidate is compared with this one, once it is on the branch. */
export async function rememberRound(judging: Judging, { commit, results }: CheckRound): Promise<void> {
  const { place, loop, repository, project, environment } = judging;
  const own = new Set(project.verify.map(({ command }) => command));
  const { key } = await preparedTip(judging);
  const asked = { loop, repository, project, environment, commit, key };
  const ofProject = results.filter(({ command }) => own.has(command));
  await rememberBaseline(place, asked, ofProject);
}
