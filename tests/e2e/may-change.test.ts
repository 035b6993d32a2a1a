import { execFileSync } from "node:child_process";
import { DispatcherClient } from "@opentiger/orchestrator";
import { expect, test } from "vitest";
import { ServerClient } from "../../packages/server/src/control/index.ts";
import { atEnd } from "../setup/at-end.ts";
import { commandLine } from "../setup/loop-command-line.ts";
import { loopWorld, userRepository } from "../setup/loop-world.ts";

const before = { name: "sample", scripts: { test: "true" } };
const after = { name: "sample", scripts: { test: "true --coverage" } };

/** Does what is asked for here. As a judge it passes everything. */
const agent = `case $(cat) in
"# Test with coverage"*) echo '${JSON.stringify(after)}' > package.json ;;
*) echo '{"judgement":"pass","summary":"It is as asked for.","points":[]}' ;;
esac`;

test("opentiger run --may-change lets one task change a protected file, which is refused without it", async () => {
  const world = await loopWorld([]);
  await world.place.config.patch(
    { OPENTIGER_AGENT_COMMAND: ["sh", "-c", agent], OPENTIGER_REWORKS: 0 },
    "test",
  );
  atEnd(() => new DispatcherClient(world.env).stop());
  atEnd(() => new ServerClient(world.env).stop());
  const opentiger = commandLine({ ...world.env, OPENTIGER_API_PORT: "0" });
  const project = userRepository({
    "package.json": JSON.stringify(before),
    "opentiger.json": '{"setup":[],"verify":["test -f package.json"]}',
  });
  const asked = ["run", "Test with coverage", "--single", "--host", "--agent", "command", "--repo", project];
  const onBranch = (id: string) =>
    execFileSync("git", ["-C", project, "show", `tiger/${id}:package.json`], { encoding: "utf8" });

  const refused = await opentiger(...asked);
  expect(refused).toMatchObject({ status: 1, stderr: "" });
  expect(refused.stdout).toContain("package.json: scripts.test decides how the project is checked");

  const allowed = await opentiger(...asked, "--may-change", ".github/**", "package.json", "--json");
  expect(allowed).toMatchObject({ status: 0, stderr: "" });
  const { loop } = JSON.parse(allowed.stdout.trim().split("\n").at(-1) ?? "");
  expect(JSON.parse(onBranch(loop.id))).toEqual(after);

  const planned = await opentiger(
    "run",
    "Test with coverage",
    "--may-change",
    "package.json",
    "--repo",
    project,
  );
  expect(planned).toMatchObject({ status: 64, stderr: expect.stringContaining("--single") });
}, 240_000);
