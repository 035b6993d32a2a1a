import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Dispatcher } from "@opentiger/orchestrator";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer } from "../setup/ask-server.ts";
import { atEnd } from "../setup/at-end.ts";
import { docker } from "../setup/docker.ts";
import { type LoopWorld, loopWorld, plannedTask, userRepository } from "../setup/loop-world.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { seldomMs, until } from "../setup/until.ts";

const patienceMs = 120_000;

/** A file of this machine that no sandbox has: who sees it works on the host. */
const onTheHost = join(temporaryFolder(), "only-here");

const plan = JSON.stringify({ summary: "planned: %s", tasks: [plannedTask("where")] });

/** Plays every role, and says in each where it is. */
const script = `where=container; [ ! -e ${onTheHost} ] || where=host
if grep -q '^You are the planner' "$0"; then printf '${plan}\\n' "$where"
elif grep -q '^You are the judge' "$0"; then printf '{"judgement":"pass","summary":"judged: %s","points":[]}\\n' "$where"
elif grep -q 'Wait there' "$0"; then sleep 600
else echo "$where" > where.txt; fi`;

const roles = ["PLANNER", "WORKER", "JUDGE"].map((role) => [`OPENTIGER_${role}_AGENT`, "command"]);
const settings = {
  ...Object.fromEntries(roles),
  OPENTIGER_AGENT_COMMAND: ["sh", "-c", script, "{promptFile}"],
  OPENTIGER_NETWORK_POLICY: "deny",
};

let world: LoopWorld;
let url: string;

beforeAll(async () => {
  writeFileSync(onTheHost, "");
  world = await loopWorld([]);
  const instance = temporaryServer(world.env);
  const server = await instance.start();
  atEnd(() => server.close());
  url = server.url;
  const dispatcher = Dispatcher.start(world.place);
  atEnd(() => dispatcher.stop());
});

describe("a loop that is begun over HTTP", () => {
  const environments = [
    ["host", "host"],
    ["sandbox", "container"],
  ] as const;
  test.each(environments)(
    "A1 A5 after EXECUTION_ENVIRONMENT was changed to %s is planned, worked on and judged there: %s",
    async (environment, where) => {
      const body = { ...settings, EXECUTION_ENVIRONMENT: environment };
      expect((await askServer(url, "/config", { method: "PATCH", body })).status).toBe(200);
      const project = userRepository({ "README.md": "empty\n" });
      const loop = await begun(project);
      const ended = await until(
        "it ends",
        async () => {
          const { json } = await askServer(url, `/loops/${loop}`);
          const { endedAt, ...rest } = z.looseObject({ endedAt: z.string().nullable() }).parse(json);
          return endedAt === null ? undefined : rest;
        },
        patienceMs,
        seldomMs,
      );
      expect(ended).toMatchObject({ state: "done", detail: null });
      const planned = await askServer(url, `/loops/${loop}/plan`);
      expect(planned.json).toMatchObject({ plan: { summary: `planned: ${where}` } });
      const [task = ""] = await tasksOf(loop);
      const judged = await askServer(url, `/tasks/${task}/judgements`);
      expect(judged.json).toMatchObject({
        items: [{ judgement: "pass", evidence: { opinions: [{ summary: `judged: ${where}` }] } }],
      });
      const words = ["-C", project, "show", `tiger/${loop}:where.txt`];
      expect(execFileSync("git", words, { encoding: "utf8" })).toBe(`${where}\n`);
    },
    patienceMs + 60_000,
  );
});

test(
  "A1 B6 a loop that goes on in sandboxes stays there when EXECUTION_ENVIRONMENT becomes host, and leaves none when it is cancelled",
  async () => {
    const patch = async (environment: string) => {
      const body = { ...settings, EXECUTION_ENVIRONMENT: environment };
      expect((await askServer(url, "/config", { method: "PATCH", body })).status).toBe(200);
    };
    await patch("sandbox");
    const loop = await begun(userRepository({ "README.md": "empty\n" }), "Wait there.");
    const containers = () => docker("ps", "--all", "--format={{.Names}}", `--filter=name=${loop}`);
    await until(
      "its agent is at work",
      async () => (await containers()).includes("-1"),
      patienceMs,
      seldomMs,
    );
    await patch("host");
    const cancelled = await askServer(url, `/loops/${loop}/cancel`, { method: "POST", body: {} });
    expect(cancelled.status).toBe(200);
    await until("nothing of it is left", async () => (await containers()) === "", patienceMs, seldomMs);
  },
  2 * patienceMs,
);

async function begun(project: string, requirement = "Say where you are."): Promise<string> {
  const body = { repository: { path: project }, requirement };
  const { json } = await askServer(url, "/loops", { method: "POST", body });
  return z.looseObject({ id: z.string() }).parse(json).id;
}

async function tasksOf(loop: string): Promise<string[]> {
  const { json } = await askServer(url, `/loops/${loop}/tasks`);
  const { items } = z.object({ items: z.array(z.looseObject({ id: z.string() })) }).parse(json);
  return items.map(({ id }) => id);
}
