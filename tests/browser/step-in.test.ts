import { Dispatcher, listJudgements } from "@opentiger/orchestrator";
import { expect, test } from "vitest";
import { startServer } from "../../packages/server/src/server.ts";
import { atEnd } from "../setup/at-end.ts";
import { type LoopWorld, loopWorld, plannedTask, userRepository } from "../setup/loop-world.ts";
import { quickAgents } from "../setup/quick-agent.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { openPage, seriousOf } from "./open-page.ts";

const timeoutMs = 120_000;

/** Does what a person says last, and without a word never ends. As a judge it never ends the first time. */
const agent = (folder: string) => `prompt=$(cat)
case $prompt in
"# Write "*) echo begun
  case $prompt in
  *"Use digits."*) printf 'ONE\\n2\\n' > one.txt ;;
  *"Shout."*) printf 'ONE\\nTWO\\n' > one.txt ;;
  *) exec sleep 86400 ;;
  esac ;;
*) if [ ! -e ${folder}/judging ]; then touch ${folder}/judging; exec sleep 86400; fi
  echo '{"judgement":"pass","summary":"It is as asked for.","points":[]}' ;;
esac`;

test(
  "a person tells an agent something, reads it in the transcript, comments on a line and sends the work back",
  async () => {
    const world = await loopWorld([]);
    const command = ["sh", "-c", agent(temporaryFolder("opentiger-judge-"))];
    await world.place.config.patch({ OPENTIGER_AGENT_COMMAND: command }, "test");
    const server = await startServer({ env: world.env, port: 0, processes: [] });
    atEnd(() => server.close());
    const dispatcher = Dispatcher.start(world.place);
    atEnd(() => dispatcher.stop());
    const { id } = await world.start(userRepository({ "README.md": "empty\n" }), [plannedTask("one")], {
      environment: "host",
      agents: quickAgents,
      project: { verify: [{ command: "test -f README.md" }] },
    });
    const { page, complaints, foreign } = await openPage(`${server.url}/loops/${id}`);
    await page.getByRole("link", { name: /Write one/ }).click({ timeout: timeoutMs });

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
    const lines = page.getByRole("region", { name: "one.txt" });
    await lines.getByText("TWO").waitFor();
    await lines.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Comment on one.txt:2" });
    await dialog.getByRole("textbox", { name: "Comment" }).fill("Use digits.");
    await page.keyboard.press("Control+Enter");
    await page.getByText("1 comment to send").waitFor();
    await lines.getByText("ONE").hover();
    await lines.getByRole("button", { name: "Comment on line 1" }).click();
    await page.getByRole("textbox", { name: "Comment" }).fill("Never mind.");
    await page.getByRole("button", { name: "Add comment" }).click();
    await page.getByText("2 comments to send").waitFor();
    await page.getByRole("button", { name: "Remove the comment on one.txt:1" }).click();
    expect(await seriousOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Send back" }).click();
    await page.getByText("The task is sent back").waitFor();
    await page.locator("h1 + [data-state=done]").waitFor({ timeout: timeoutMs });
    await page.getByRole("button", { name: "Send back" }).waitFor();
    await secondIsJudged(world, id);
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
