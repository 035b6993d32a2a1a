import { Dispatcher, listJudgements } from "@opentiger/orchestrator";
import { expect, test } from "vitest";
import { startServer } from "../../packages/server/src/server.ts";
import { atEnd } from "../setup/at-end.ts";
import { type LoopWorld, loopWorld, plannedTask, userRepository } from "../setup/loop-world.ts";
import { quickAgents } from "../setup/quick-agent.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { openPage, seriousOf } from "./open-page.ts";

const timeoutMs = 120_000;

/** As git quotes it in a diff, and nobody calls it. */
const name = 'say "one".txt';

/** Does what a person says last, and without a word never ends. As a judge it never ends the first time. */
const agent = (folder: string) => `prompt=$(cat)
case $prompt in
"# Write "*) echo begun
  case $prompt in
  *"Use digits."*) printf 'ONE\\n2\\n' > '${name}' ;;
  *"Shout."*) printf 'ONE\\nTWO\\n' > '${name}' ;;
  *"Count."*) printf '3\\n' > two.txt ;;
  *) exec sleep 86400 ;;
  esac ;;
*) if [ ! -e ${folder}/judging ]; then touch ${folder}/judging; exec sleep 86400; fi
  echo '{"judgement":"pass","summary":"It is as asked for.","points":[]}' ;;
esac`;

test(
  "a person says anew what waits, tells an agent something, reads it in the transcript, comments on a line and sends the work back",
  async () => {
    const world = await loopWorld([]);
    const command = ["sh", "-c", agent(temporaryFolder("opentiger-judge-"))];
    await world.place.config.patch({ OPENTIGER_AGENT_COMMAND: command }, "test");
    const server = await startServer({ env: world.env, port: 0, processes: [] });
    atEnd(() => server.close());
    const dispatcher = Dispatcher.start(world.place);
    atEnd(() => dispatcher.stop());
    const tasks = [plannedTask("one", { allowedPaths: [name] }), plannedTask("two", { needs: ["one"] })];
    const { id } = await world.start(userRepository({ "README.md": "empty\n" }), tasks, {
      environment: "host",
      agents: quickAgents,
      project: { verify: [{ command: "test -f README.md" }] },
    });
    const { page, complaints, foreign } = await openPage(`${server.url}/loops/${id}`);
    await page.getByRole("link", { name: /Write two/ }).click({ timeout: timeoutMs });
    await page.getByRole("button", { name: "Edit instructions" }).click();
    const instructions = { name: "Instructions", exact: true };
    await page.getByRole("textbox", instructions).fill("Write two.txt. Count.");
    expect(await seriousOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The instructions are changed").waitFor();
    await page.getByRole("tabpanel").getByText("Write two.txt. Count.").waitFor();
    const { page: late } = await openPage(page.url());
    await late.getByRole("button", { name: "Edit instructions" }).click();
    await late.getByRole("textbox", instructions).fill("Too late.");
    await page.goBack();
    await page.getByRole("link", { name: /Write one/ }).click();

    await page.getByRole("textbox", { name: "Message to the agent" }).fill("Shout.", { timeout: timeoutMs });
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("The agent is told").waitFor();
    await page.getByText("heard by the agent").waitFor({ timeout: timeoutMs });
    await page.locator("h1 + [data-state='blocked(awaiting_judge)']").waitFor({ timeout: timeoutMs });
    await page.getByRole("tab", { name: /Runs/ }).click();
    await page
      .getByRole("link", { name: /Worker/ })
      .first()
      .click();
    await page.getByText("Shout.").waitFor();

    await page.getByRole("tab", { name: "Diff" }).click();
    const lines = page.getByRole("region", { name });
    await lines.getByText("TWO").waitFor();
    await lines.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: `Comment on ${name}:2` });
    await dialog.getByRole("textbox", { name: "Comment" }).fill("Use digits.");
    await page.keyboard.press("Control+Enter");
    await page.getByText("1 comment to send").waitFor();
    await lines.getByText("ONE").hover();
    await lines.getByRole("button", { name: "Comment on line 1" }).click();
    await page.getByRole("textbox", { name: "Comment" }).fill("Never mind.");
    await page.getByRole("button", { name: "Add comment" }).click();
    await page.getByText("2 comments to send").waitFor();
    await page.getByRole("button", { name: `Remove the comment on ${name}:1` }).click();
    expect(await seriousOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Send back" }).click();
    await page.getByText("The task is sent back").waitFor();
    await page.locator("h1 + [data-state=done]").waitFor({ timeout: timeoutMs });
    await page.getByRole("button", { name: "Send back" }).waitFor();
    await secondIsJudged(world, id);
    await late.getByText("The task has moved on meanwhile").waitFor({ timeout: timeoutMs });
    expect(await late.getByRole("textbox", instructions).inputValue()).toBe("Too late.");
    expect(await world.ended(id, timeoutMs)).toMatchObject({ state: "done", summary: { done: 2 } });
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] });
  },
  4 * timeoutMs,
);

async function secondIsJudged(world: LoopWorld, loop: string): Promise<void> {
  const [task] = await world.tasks(loop);
  expect(task).toMatchObject({ state: "done", tries: {} });
  const { items } = await listJudgements(world.place.database, { task: task?.id ?? "" });
  expect(items).toMatchObject([{ judgement: "pass", candidateOid: task?.candidateOid }]);
}
