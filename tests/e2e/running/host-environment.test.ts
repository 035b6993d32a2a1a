import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { loopWorld, plannedTask, userRepository } from "../../setup/loop-world.ts";
import { quickAgents } from "../../setup/quick-agent.ts";
import { runningDispatcher } from "../../setup/running-dispatcher.ts";

/** Writes down what its environment has, and as a judge passes everything. */
const agent = `case $(cat) in
"# Write names"*) env | sed 's/=.*//' | sort > names.txt ;;
*) echo '{"judgement":"pass","summary":"It is as asked for.","points":[]}' ;;
esac`;

/** What the dispatcher has, and no agent shall have. */
const planted = {
  PLANTED_TOKEN: "planted",
  DATABASE_URL: "postgres://nobody:planted@127.0.0.1:1/none",
  OPENTIGER_PLANTED: "planted",
  SSH_AUTH_SOCK: "/nowhere",
};

test("agents on the host, and checks beside them, find the usual variables, those that are named, and no other", async () => {
  const world = await loopWorld([], { ...planted, LC_ALL: "C", NAMED_ONE: "named" });
  await world.place.config.patch(
    { OPENTIGER_AGENT_COMMAND: ["sh", "-c", agent], OPENTIGER_HOST_VARIABLES: "NAMED_*" },
    "test",
  );
  const project = userRepository({
    "check.sh": 'test "$NAMED_ONE" = named && test -z "$PLANTED_TOKEN$DATABASE_URL$ANTHROPIC_API_KEY"\n',
  });
  const dispatcher = runningDispatcher(world.env);
  const loop = await world.start(project, [plannedTask("names")], {
    environment: "host",
    agents: quickAgents,
    project: { env: { OF_THE_PROJECT: "given" }, verify: [{ command: "sh check.sh" }] },
  });
  expect(await world.ended(loop.id)).toMatchObject({ state: "done" });
  await dispatcher.stop();
  const shown = execFileSync("git", ["-C", project, "show", `tiger/${loop.id}:names.txt`], {
    encoding: "utf8",
  });
  const names = shown.trim().split("\n");
  expect(names).toEqual(expect.arrayContaining(["HOME", "LC_ALL", "NAMED_ONE", "OF_THE_PROJECT", "PATH"]));
  const secret = /^(?:ANTHROPIC|OPENAI)_|^OPENTIGER_(?!EXEC_ID$|SANDBOX_ID$)/;
  const others = names.filter((name) => secret.test(name) || Object.hasOwn(planted, name));
  expect(others).toEqual([]);
}, 180_000);
