import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LoopRepository } from "../../packages/orchestrator/src/git/repository.ts";
import { commandLine } from "../setup/loop-command-line.ts";
import { userRepository } from "../setup/loop-world.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";

const home = temporaryFolder("ot-");
const env = { PATH: process.env["PATH"], HOME: home, OPENTIGER_HOME: home };
const opentiger = commandLine(env);

test("opentiger run says which file of the repository git would wait for, and so does the dispatcher", async () => {
  const project = userRepository({ "README.md": "empty\n" });
  const head = join(project, ".git/HEAD");
  const place = { folder: home, env };
  const repository = await LoopRepository.open(place, {
    id: "00000000-0000-4000-8000-000000000000",
    path: project,
  });
  pipe(head);
  const refused = { code: "workspace_refused", message: expect.stringContaining(`${head} is a named pipe`) };
  const ran = await opentiger("run", "Whatever", "--host", "--json", "--repo", project);
  expect(ran).toMatchObject({ status: 64, stdout: "" });
  expect(JSON.parse(ran.stderr).error).toMatchObject({
    ...refused,
    remedy: expect.stringContaining(`rm ${head}`),
  });
  await expect(repository.importBase("waiting")).rejects.toMatchObject(refused);
});

test("opentiger init passes over what is no file, and asks nothing of git", async () => {
  const project = userRepository({ "go.mod": "module x\n", "package.json": "{}\n" });
  pipe(join(project, ".git/HEAD"));
  pipe(join(project, "package.json"));
  const made = await opentiger.json("init", "--json", "--repo", project);
  expect(made).toMatchObject({ detected: ["go (go.mod)"] });
});

function pipe(path: string): void {
  rmSync(path);
  execFileSync("mkfifo", [path]);
}
