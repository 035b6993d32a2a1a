import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { checkoutHash } from "../../../scripts/demo/sample-project.ts";
import { ended, opentigerBundle } from "../../setup/command-line.ts";
import type { CommandLine } from "../../setup/loop-command-line.ts";
import type { LoopWorld } from "../../setup/loop-world.ts";
import { temporaryFolder } from "../../setup/temporary-workspace.ts";
import { cliWorld, project, timeoutMs } from "./cli-world.ts";

let world: LoopWorld;
let opentiger: CommandLine;

beforeAll(async () => {
  ({ world, opentiger } = await cliWorld());
}, timeoutMs);

describe("opentiger run", () => {
  test(
    "ends with a branch of judged commits that can be looked at, merged, taken as a patch and discarded",
    async () => {
      const repo = project();
      const before = checkoutHash(repo);
      const ran = await opentiger("run", "-f", stories("first", "second"), "--repo", repo);
      expect(ran).toMatchObject({ status: 0, stderr: "" });
      const id = /loop ([a-z0-9]{8}) is being planned/.exec(ran.stdout)?.[1] ?? "";
      for (const line of [
        "verify: test -f README.md",
        "nothing is red before anything was done",
        "planned: 2 tasks",
        "task 1: Write first (worker)",
        "task 1: worker started (codex, run 1)",
        "task 1: judged, pass",
        /^task 2: merged as [0-9a-f]{10}$/m,
        `loop ${id}: done`,
        "tasks   2 done, 2 judged, 0 failed, 0 cancelled, 0 left",
        /used {4}\d+ tokens, \$0\.\d+/,
        `branch  tiger/${id}`,
        `→ opentiger loop merge ${id}`,
      ])
        expect(ran.stdout).toMatch(line);
      expect(checkoutHash(repo)).toBe(before);

      const listed = await opentiger.json("loop", "ls", "--json");
      expect(listed).toMatchObject({ loops: [{ id, state: "done", tasks: { done: 2 } }], next: null });
      expect((await opentiger("loop", "ls")).stdout).toMatch(new RegExp(`^${id} +done +2/2 `, "m"));
      const shown = await opentiger.json("loop", "show", id.slice(0, 6), "--json");
      expect(shown).toMatchObject({ id, repository: { path: repo }, tasks: [{ number: 1 }, { number: 2 }] });
      const events = (await opentiger("loop", "events", id, "--json")).stdout.trim().split("\n");
      const types = events.map((line) => JSON.parse(line).event.type);
      expect(types[0]).toBe("loop.create");
      expect(types.at(-1)).toBe("loop.finish");
      const task = await opentiger.json("task", "show", id, "1", "--json");
      expect(task).toMatchObject({
        state: "done",
        runs: [{ state: "succeeded" }, {}],
        judgements: [{ judgement: "pass" }],
      });
      expect((await opentiger("task", "show", id, "1")).stdout).toContain("Write first");

      const patch = await opentiger("loop", "patch", id);
      expect(patch.stdout.match(/^Subject: \[PATCH/gm)).toHaveLength(2);
      const twin = temporaryFolder("opentiger-twin-");
      git(twin, "clone", "--quiet", repo, ".");
      execFileSync(
        "git",
        ["-C", twin, "-c", "user.name=T", "-c", "user.email=t@example.test", "am", "--quiet"],
        {
          input: patch.stdout,
        },
      );
      expect(readFileSync(join(twin, "second.txt"), "utf8")).toBe("second\n");

      const merged = await opentiger.json("loop", "merge", id, "--json");
      expect(merged).toMatchObject({ into: "main", how: "fast-forward" });
      expect(readFileSync(join(repo, "first.txt"), "utf8")).toBe("first\n");
      const refused = await opentiger("loop", "discard", id);
      expect(refused).toMatchObject({ status: 64, stderr: expect.stringContaining("--force") });
      expect(await opentiger("loop", "discard", "--force", id)).toMatchObject({ status: 0 });
      expect(git(repo, "branch", "--list", "tiger/*")).toBe("");
      expect(await opentiger("loop", "merge", id)).toMatchObject({ status: 73 });
    },
    timeoutMs,
  );

  test(
    "with --json tells every event on a line of its own, and how it ended on the last",
    async () => {
      const ran = await opentiger(
        "run",
        "Write third, please",
        "--single",
        "--host",
        "--json",
        "--repo",
        project(),
      );
      const lines = ran.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(ran).toMatchObject({ status: 0, stderr: "" });
      expect(lines.slice(0, -1).every(({ type }) => type === "event")).toBe(true);
      expect(lines.at(-1)).toMatchObject({
        type: "end",
        loop: { state: "done", settings: { environment: "host" } },
        usage: { total: expect.any(Number) },
      });
    },
    timeoutMs,
  );

  test(
    "a task that fails says why and what mends it, and so does the status",
    async () => {
      const ran = await opentiger("run", "Write locked", "--single", "--repo", project());
      expect(ran.status).toBe(1);
      expect(ran.stdout).toMatch(/task 1: run 1 failed: Authentication required\..*\n +→ .+/);
      expect(ran.stdout).toMatch(/loop [a-z0-9]{8}: failed/);
      expect(ran.stdout).toMatch(/→ opentiger loop retry/);
    },
    timeoutMs,
  );
});

describe("a plan", () => {
  test(
    "is made and shown by a dry run, can be edited, and runs when it is approved",
    async () => {
      const repo = project();
      const dry = await opentiger("run", "Whatever is needed", "--dry-run", "--host", "--repo", repo);
      expect(dry).toMatchObject({ status: 0, stderr: "" });
      const id = /loop ([a-z0-9]{8}): awaiting_approval/.exec(dry.stdout)?.[1] ?? "";
      expect(dry.stdout).toContain("task 1: Write planned (worker)");
      const { plan, planVersion } = await opentiger.json("loop", "show", id, "--json");
      expect(dry.stdout).toContain(`opentiger loop approve ${id} --plan ${planVersion}\n`);
      plan.tasks[0].title = "Write edited";
      plan.tasks[0].instructions = "Write edited.txt.";
      plan.tasks[0].allowedPaths = ["edited.txt"];
      const edited = await opentiger.withInput(JSON.stringify(plan), "loop", "edit", id, "-f", "-");
      expect(edited).toMatchObject({ status: 0 });
      await editTask(id, "Write edited.txt, with one word.");
      const unseen = await opentiger("loop", "approve", id, "--plan", planVersion);
      expect(unseen).toMatchObject({
        status: 73,
        stderr: expect.stringContaining("not the one that you saw"),
      });
      const seen =
        /loop approve \w+ --plan (\w+)/.exec((await opentiger("loop", "show", id)).stdout)?.[1] ?? "";
      expect(await opentiger("loop", "approve", id, "--plan", seen)).toMatchObject({
        status: 0,
        stdout: `loop ${id} is running\n`,
      });
      expect(await opentiger("loop", "events", "-f", id)).toMatchObject({ status: 0 });
      expect(git(repo, "show", `tiger/${id}:edited.txt`)).toBe("edited");
      expect(await opentiger("loop", "approve", id)).toMatchObject({ status: 73 });
      const late = await opentiger("task", "edit", id, "1", "--title", "Too late");
      expect(late).toMatchObject({
        status: 73,
        stderr: expect.stringContaining("is done and cannot be edited"),
      });
    },
    timeoutMs,
  );
});

function stories(...keys: string[]): string {
  const file = join(temporaryFolder(), "stories.json");
  const list = keys.map((key, index) => ({
    key,
    title: `Write ${key}`,
    allowedPaths: [`${key}.txt`],
    needs: index === 0 ? [] : keys.slice(index - 1, index),
  }));
  writeFileSync(file, JSON.stringify(list));
  return file;
}

/** Says anew what the first task is to do: by an option, and then by hand in an editor. */
async function editTask(id: string, instructions: string): Promise<void> {
  const edit = ["task", "edit", id, "1"];
  const changed = await opentiger.json(...edit, "--instructions", "Write.", "--estimate", "soon", "--json");
  expect(changed).toMatchObject({ instructions: "Write.", estimate: "soon", title: "Write edited" });
  expect(await opentiger(...edit)).toMatchObject({ status: 64, stderr: expect.stringContaining("-f FILE") });
  expect(await opentiger(...edit, "--needs", "first")).toMatchObject({ status: 64 });
  const line = [process.execPath, opentigerBundle, ...edit].join(" ");
  const byHand = (editor: string) =>
    ended(
      spawn("script", ["-qec", line, "/dev/null"], { env: { ...world.env, EDITOR: editor }, stdio: "pipe" }),
    );
  expect(await byHand("false")).toMatchObject({ status: 64, stdout: expect.stringContaining("EDITOR") });
  expect(await byHand("true")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("nothing is changed"),
  });
  const refused = await byHand("echo >");
  const [, kept = ""] = /what you have written is in (\S+)/.exec(refused.stdout) ?? [];
  expect([refused.status, readFileSync(kept, "utf8")]).toEqual([64, "\n"]);
  rmSync(dirname(kept), { recursive: true });
  expect(await byHand(`echo '${instructions}' >`)).toMatchObject({ status: 0 });
  expect(await opentiger.json("task", "show", id, "1", "--json")).toMatchObject({ instructions });
}

function git(folder: string, ...words: string[]): string {
  return execFileSync("git", ["-C", folder, ...words], { encoding: "utf8" }).trim();
}
