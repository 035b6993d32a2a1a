import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type CommandLine, commandLine } from "../../setup/loop-command-line.ts";
import type { LoopWorld } from "../../setup/loop-world.ts";
import { temporaryFolder } from "../../setup/temporary-workspace.ts";
import { cliWorld, project, timeoutMs } from "./cli-world.ts";

let world: LoopWorld;
let opentiger: CommandLine;

beforeAll(async () => {
  ({ world, opentiger } = await cliWorld());
}, timeoutMs);

describe("what cannot be", () => {
  test.each([
    [["run"], 64, /no requirement/, /opentiger run "/],
    [["run", "x", "--host", "--sandbox"], 64, /exclude each other/, /one of them/],
    [["run", "x", "--budget-usd", "0"], 64, /not an amount/, /greater than 0/],
    [["run", "x", "--budget-tokens", "many"], 64, /not an amount/, /greater than 0/],
    [["run", "x", "--agent", "clod"], 64, /claude_code, codex/, /--help/],
    [["run", "x", "--repo", "/nonexistent"], 64, /there is no \/nonexistent/, /--repo/],
    [["run", "x", "--repo", "/etc"], 64, /\/etc is not a git repository/, /git init/],
    [["run", "-f", "/nonexistent.md"], 64, /cannot be read/, /- for stdin/],
    [["loop"], 64, /Usage/, /COMMAND/],
    [["loop", "show", "zzzzzzzz"], 66, /there is no loop zzzzzzzz/, /opentiger loop ls/],
    [["loop", "show", "../etc"], 64, /is not a loop/, /eight letters/],
    [["loop", "ls", "--status", "dead"], 64, /done, failed/, /--help/],
    [["loop", "ls", "-n", "0"], 64, /not an amount/, /greater than 0/],
    [["task", "show", "zzzzzzzz", "1"], 66, /there is no loop/, /opentiger loop ls/],
  ])("opentiger %j is refused with %d and a remedy", async (words, status, message, remedy) => {
    const refused = await opentiger(...words);
    expect(refused).toMatchObject({ status, stdout: "" });
    expect(refused.stderr).toMatch(message);
    expect(refused.stderr).toMatch(remedy);
  });

  test("a story file with a mistake is refused with its line, before anything is begun", async () => {
    const file = join(temporaryFolder(), "stories.yaml");
    writeFileSync(file, "- title: one\n  needs: [nobody]\n");
    const refused = await opentiger("run", "-f", file, "--repo", project());
    expect(refused).toMatchObject({ status: 65, stderr: expect.stringContaining("nobody") });
    const asJson = await opentiger("run", "-f", file, "--repo", project(), "--json");
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: "plan_invalid" } });
  });

  test("without an engine, sandboxes are an error that offers the host, and nothing is begun", async () => {
    const alone = commandLine({ ...world.env, DOCKER_HOST: `unix://${world.home}/nobody.sock` });
    const before = await alone.json("loop", "ls", "--json");
    const refused = await alone("run", "Write x", "--repo", project());
    expect(refused).toMatchObject({ status: 69, stdout: "", stderr: expect.stringContaining("--host") });
    expect(await alone.json("loop", "ls", "--json")).toEqual(before);
  });
});
