import { execFileSync } from "node:child_process";
import { answer, finish, type ScenarioChoice, think, whenPrompt, writeFile } from "@opentiger/model-sim";
import { DispatcherClient, editTask, listEvents, pauseTask, resumeTask } from "@opentiger/orchestrator";
import { expect, test } from "vitest";
import { z } from "zod";
import { ServerClient } from "../../packages/server/src/control/index.ts";
import { atEnd } from "../setup/at-end.ts";
import { freePort } from "../setup/free-port.ts";
import { hearEvents, listeners } from "../setup/hear-events.ts";
import { commandLine } from "../setup/loop-command-line.ts";
import { type LoopWorld, loopWorld, plannedTask, playedBy, userRepository } from "../setup/loop-world.ts";
import { until } from "../setup/until.ts";

const taskCount = 3;
const kills = 3;
const patienceMs = 300_000;

const judge: ScenarioChoice = whenPrompt(/^You are the judge/m, {
  steps: [answer({ judgement: "pass", summary: "It is there.", points: [] })],
});

const writer: ScenarioChoice = ({ prompt }) => {
  const key = /Write (task-\w+)/.exec(prompt)?.[1];
  if (key === undefined) return undefined;
  return {
    steps: [think(3_000), writeFile(`${key}.txt`, `${key}\n`), think(3_000), finish("It is written.")],
  };
};

test(
  "kill -9 of the server with agents at work: they go on, the next `up` adopts what works on them, and who listens misses nothing",
  async () => {
    const world = await loopWorld([judge, writer]);
    await world.place.config.patch(playedBy("codex", "gpt-5.5"), "test");
    const port = await freePort();
    const env = { ...world.env, OPENTIGER_API_PORT: String(port) };
    const opentiger = commandLine(env);
    atEnd(() => new DispatcherClient(env).stop());
    atEnd(() => new ServerClient(env).stop());
    const up = async () =>
      z.object({ pid: z.number(), started: z.boolean() }).parse(await opentiger.json("up", "-d", "--json"));

    let { pid } = await up();
    const dispatcher = await until("the dispatcher works", () => new DispatcherClient(env).status());
    const gone = new AbortController();
    const seen: number[] = [];
    const url = `http://127.0.0.1:${port}`;
    const listening = hearEvents(url, seen, gone.signal);
    await until("it is heard", async () => (await listeners(url)) === 1);
    const project = userRepository({ "check.sh": "true\n" });
    const tasks = Array.from({ length: taskCount }, (_, index) => plannedTask(`task-${index + 1}`));
    // The last one waits until the kills are over: so long the loop does not end, however slow the next server is.
    tasks.push(plannedTask("task-last", { needs: ["task-1"] }));
    const loop = await world.start(project, tasks, { project: { verify: [{ command: "sh check.sh" }] } });
    await until("agents work", () => world.sim.sessions().length > 0, patienceMs);

    const last = (await world.tasks(loop.id)).at(-1)?.id ?? "";
    await pauseTask(world.place.database, last);
    for (let kill = 0; kill < kills; kill += 1) {
      process.kill(pid, "SIGKILL");
      // Something happens that nobody can tell at once.
      await editTask(world.place.database, last, { estimate: `${kill}` });
      const happened = (await events(world, loop.id)).at(-1) ?? 0;
      const next = await up();
      expect(next).toMatchObject({ started: true });
      expect(next.pid).not.toBe(pid);
      pid = next.pid;
      await until("who listened is told", () => seen.includes(happened), patienceMs);
    }
    await resumeTask(world.place.database, last);
    const ended = await world.ended(loop.id, patienceMs);
    expect(ended.state).toBe("done");
    const written = await events(world, loop.id);
    await until("the last one is heard", () => seen.includes(written.at(-1) ?? 0));
    gone.abort();
    await listening;
    const heard = seen.filter((id) => written.includes(id));
    // They are told in the order of their transactions.
    expect(
      heard.toSorted((one, other) => one - other),
      "neither a gap nor a double",
    ).toEqual(written);

    expect(await new DispatcherClient(env).status()).toMatchObject({ pid: dispatcher.pid });
    expect((await world.tasks(loop.id)).map(({ state }) => state)).toEqual(tasks.map(() => "done"));
    const log = execFileSync("git", ["-C", project, "log", "--format=%s", `main..tiger/${loop.id}`], {
      encoding: "utf8",
    });
    expect(log.trim().split("\n").toSorted()).toEqual(tasks.map(({ title }) => title).toSorted());
    for (const { title } of tasks) {
      const own = world.sim
        .sessions()
        .filter(
          ({ prompts: [prompt = ""] }) =>
            prompt.includes(`# ${title}\n`) && !/^You are the judge/m.test(prompt),
        );
      expect(own, `${title} was given to one agent`).toHaveLength(1);
    }
  },
  patienceMs,
);

/** Their ids. */
async function events(world: LoopWorld, loop: string): Promise<number[]> {
  const { items } = await listEvents(world.place.database, { loop, limit: 500 });
  return items.map(({ id }) => id);
}
