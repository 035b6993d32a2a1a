import { execFileSync } from "node:child_process";
import { answer, finish, type ScenarioChoice, silence, whenPrompt, writeFile } from "@opentiger/model-sim";
import { Dispatcher } from "@opentiger/orchestrator";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type RunningServer, startServer } from "../../packages/server/src/server.ts";
import { askServer } from "../setup/ask-server.ts";
import { atEnd } from "../setup/at-end.ts";
import { type LoopWorld, loopWorld, plannedTask, userRepository } from "../setup/loop-world.ts";
import { load, openPage, type Watched } from "./open-page.ts";

/** Real sandboxes and CLIs, one after the other, on two cores. */
const timeoutMs = 240_000;

const judge: ScenarioChoice = whenPrompt(/^You are the judge/, {
  steps: [answer({ judgement: "pass", summary: "It is as asked for.", points: [] })],
});

const planner: ScenarioChoice = whenPrompt(/^You are the planner/, {
  steps: [answer({ summary: "One file.", tasks: [plannedTask("planned")] })],
});

const planned = z.object({ plan: z.looseObject({}) });

/** Whether the task called `Write locked` is refused by its model. */
let locked = true;

const writes: ScenarioChoice = ({ prompt }) => {
  const key = /Write (\w+)/.exec(prompt)?.[1];
  if (key === undefined) return undefined;
  if (key === "slowly") return { steps: [silence()] };
  if (key === "locked" && locked) return { steps: [finish("I changed nothing.")] };
  return { steps: [writeFile(`${key}.txt`, `${key}\n`), finish("It is written.")] };
};

let world: LoopWorld;
let server: RunningServer;
let project: string;

beforeAll(async () => {
  world = await loopWorld([judge, planner, writes]);
  server = await serve(0);
  project = userRepository({
    "README.md": "empty\n",
    "opentiger.json": '{"verify":["test -f README.md"]}\n',
  });
  await world.place.config.patch({ OPENTIGER_TASK_RUNS: 1 }, "test");
  const dispatcher = Dispatcher.start(world.place);
  atEnd(() => dispatcher.stop());
}, timeoutMs);

describe("a person in a browser", { timeout: timeoutMs }, () => {
  test("starts a loop, loses the server and gets it back, and watches the loop finish", async () => {
    const { page, foreign } = await begin({ stories: "- [ ] Write one\n- [ ] Write two\n", approve: false });
    const id = loopOf(page);
    await page.getByRole("link", { name: /Write one/ }).waitFor();
    await page.locator("[data-connection=live]").first().waitFor();
    const { port } = server;
    await server.close();
    await page.getByRole("alert").getByText("The server does not answer").waitFor();
    server = await serve(port);
    await page.locator("[data-connection=live]").first().waitFor();
    await page.locator("h1 + [data-state=done]").waitFor({ timeout: timeoutMs });
    await page.getByText("2/2").waitFor();
    const summed = page.getByRole("table", { name: "What came of each task" });
    await summed.getByRole("row", { name: /Write two Done Passed 1/ }).waitFor();
    await page.getByText("Commits2", { exact: true }).waitFor();
    expect(foreign).toEqual([]);
    await page.getByRole("button", { name: "Merge" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Merge" }).click();
    await page.getByText(/Merged into main/).waitFor();
    expect(git("log", "--format=%s", "main")).toContain("Write two");
    expect(git("branch", "--list", `tiger/${id}`)).not.toBe("");
  });

  test("changes a plan, approves it, and the changed plan is what is done", async () => {
    const { page, complaints } = await begin({ requirement: "Something planned.", approve: true });
    await page.getByRole("heading", { name: "Approve the plan" }).waitFor({ timeout: timeoutMs });
    await page.getByRole("button", { name: /Write planned/ }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Write approved");
    await page.getByRole("textbox", { name: "Instructions" }).fill("Write approved.txt.");
    await page.getByRole("textbox", { name: "Allowed paths" }).fill("approved.txt");
    await page.getByRole("textbox", { name: "Checks" }).fill("test -f approved.txt");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    const path = `/loops/${loopOf(page)}/plan`;
    const { plan: before } = planned.parse((await askServer(server.url, path)).json);
    await askServer(server.url, path, { method: "PUT", body: { ...before, summary: "Of another." } });
    await page.getByText("Somebody else has changed the plan").waitFor();
    // What is not saved is still there after a look at what was asked for, and is asked about before it is left.
    await page.getByRole("tab", { name: "Requirement" }).click();
    await page.getByRole("paragraph").filter({ hasText: "Something planned." }).waitFor();
    await page.getByRole("tab", { name: "Plan" }).click();
    await page.getByText("You have changes that are not saved.").waitFor();
    await page.getByRole("link", { name: "Usage" }).click();
    await page
      .getByRole("dialog", { name: /Leave without/ })
      .getByRole("button", { name: "Close" })
      .last()
      .click();
    await page.getByRole("button", { name: "Approve and run" }).click();
    await page.locator("h1 + [data-state=done]").waitFor({ timeout: timeoutMs });
    expect(complaints).toEqual([]);
    await page.getByRole("link", { name: /Write approved/ }).click();
    await page.getByText("test -f approved.txt").waitFor();
    await page.getByRole("tab", { name: "History" }).click();
    const merged = page.getByRole("listitem").filter({ hasText: "Merged to the branch" });
    await merged.getByText(/Being judged.*Done.*task\.merge.*by the merger/).waitFor();
    await page.goBack();
    expect(git("show", "--format=", "--name-only", `tiger/${loopOf(page)}`)).toBe("approved.txt");
  });

  test("cancels a task that is being worked on", async () => {
    const { page } = await begin({ stories: "- [ ] Write slowly\n", approve: false });
    await page.getByRole("link", { name: /Write slowly/ }).click();
    await page.locator("h1 + [data-state=running]").waitFor({ timeout: timeoutMs });
    await page.getByRole("button", { name: "Cancel task" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel task" }).click();
    await page.locator("h1 + [data-state=cancelled]").waitFor({ timeout: timeoutMs });
  });

  test("sees why a task failed, retries it, and it is done", async () => {
    const { page } = await begin({ stories: "- [ ] Write locked\n", approve: false });
    await page.locator("h1 + [data-state=failed]").waitFor({ timeout: timeoutMs });
    await load(page, server.url);
    const item = page.getByRole("listitem").filter({ hasText: "Write locked" });
    await item
      .getByText(/nothing|no change/i)
      .first()
      .waitFor();
    locked = false;
    await world.place.config.patch({ OPENTIGER_TASK_RUNS: 8 }, "test");
    await item.getByRole("button", { name: "Retry" }).click();
    await page.getByText("It is tried again").waitFor();
    await page.goBack();
    await page.locator("h1 + [data-state=done]").waitFor({ timeout: timeoutMs });
  });
});

async function begin(asked: { stories?: string; requirement?: string; approve: boolean }): Promise<Watched> {
  const watched = await openPage(`${server.url}/loops/new`);
  const { page } = watched;
  if (asked.stories) await page.getByText("My stories").click();
  const written = page.getByRole("textbox", { name: asked.stories ? "Stories" : "Requirement", exact: true });
  await written.fill(asked.stories ?? asked.requirement ?? "");
  await page.getByRole("textbox", { name: "Repository" }).fill(project);
  await page.getByLabel("Show me the plan first").setChecked(asked.approve);
  await page.getByRole("button", { name: "Start the loop" }).click();
  await page.waitForURL(/\/loops\/[a-z0-9]{8}$/);
  return watched;
}

async function serve(port: number): Promise<RunningServer> {
  const started = await startServer({ env: world.env, port, processes: [] });
  atEnd(() => started.close().catch(() => {}));
  return started;
}

function loopOf(page: Page): string {
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

function git(...words: string[]): string {
  return execFileSync("git", ["-C", project, ...words], { encoding: "utf8" }).trim();
}
