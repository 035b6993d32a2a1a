import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finish, whenPrompt, writeFile } from "@opentiger/model-sim";
import { listJudgements } from "@opentiger/orchestrator";
import { expect, test } from "vitest";
import { commandLine } from "../setup/loop-command-line.ts";
import { loopWorld, plannedTask, userRepository } from "../setup/loop-world.ts";
import { quickAgents } from "../setup/quick-agent.ts";
import { runningDispatcher } from "../setup/running-dispatcher.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

/** On a machine that does many other things. */
const busyMs = 120_000;

/** The first time it never ends, until somebody does not want to know any more; then it passes everything. */
const judge = (folder: string) => `cat > /dev/null
if [ ! -e ${folder}/judging ]; then touch ${folder}/judging; exec sleep 86400; fi
echo '{"judgement":"pass","summary":"It is as asked for.","points":[]}'`;

test(
  "work with comments on its lines goes back to its agent before the judge is done, and as a new task when it is on the branch",
  async () => {
    const folder = temporaryFolder("opentiger-judge-");
    const world = await loopWorld([
      whenPrompt("# Rework of task 1", { steps: [writeFile("one.txt", "one\n2\n3\n"), finish("So.")] }),
      whenPrompt("# Write one", {
        steps: [
          writeFile("one.txt", "one\ntwo\n"),
          finish("It is written."),
          writeFile("one.txt", "one\n2\n"),
          finish("It is mended."),
        ],
      }),
    ]);
    await world.place.config.patch({ OPENTIGER_AGENT_COMMAND: ["sh", "-c", judge(folder)] }, "test");
    const opentiger = commandLine(world.env);
    runningDispatcher(world.env);
    const project = userRepository({ "README.md": "empty\n" });
    const { id } = await world.start(project, [plannedTask("one")], {
      environment: "host",
      agents: { ...quickAgents, worker: { agent: "claude_code" } },
      project: { verify: [{ command: "test -f README.md" }] },
    });
    await until("the judge is at work", () => existsSync(join(folder, "judging")), busyMs);
    writeFileSync(join(folder, "say"), "Use digits.\n");

    const back = ["task", "send-back", id, "1"];
    const misplaced = await opentiger(...back, "-m", "Well?", "--comment", "one.txt:9:Where?");
    expect(misplaced).toMatchObject({ status: 64, stderr: expect.stringContaining("one.txt:9") });
    const sent = await opentiger(...back, "-f", join(folder, "say"), "--comment", "one.txt:2:A digit: 2.");
    expect(sent).toMatchObject({ status: 0, stdout: expect.stringContaining("needs_rework") });
    expect(await world.ended(id, busyMs)).toMatchObject({ state: "done" });
    const [task] = await world.tasks(id);
    expect(task).toMatchObject({ state: "done", tries: {} });
    const [conversation] = world.sim.sessions().filter(({ opening }) => opening !== undefined);
    expect(conversation).toMatchObject({ prefixKept: true, problems: [] });
    expect(conversation?.prompts.at(-1)).toMatch(/Use digits\.[\s\S]*one\.txt:2: A digit: 2\./);
    const { items: judged } = await listJudgements(world.place.database, { task: task?.id ?? "" });
    expect(judged, "the first candidate was not judged, the second was").toMatchObject([
      { judgement: "pass", candidateOid: task?.candidateOid },
    ]);
    expect(onBranch(project, id)).toBe("one\n2\n");

    const again = await opentiger.json(...back, "--comment", "one.txt:2:And a third.", "--json");
    expect(again).toMatchObject({ became: "task", task: { number: 2, needs: [1] } });
    expect(await world.ended(id, busyMs)).toMatchObject({ state: "done", summary: { done: 2 } });
    expect(onBranch(project, id)).toBe("one\n2\n3\n");
  },
  4 * busyMs,
);

function onBranch(project: string, loop: string): string {
  return execFileSync("git", ["-C", project, "show", `tiger/${loop}:one.txt`], { encoding: "utf8" });
}
