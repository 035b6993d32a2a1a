import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { load, openPage } from "./open-page.ts";
import { type Showcase, showcase } from "./showcase.ts";

const script = "<script>window.owned = 1</script>";
const image = '<img src="x" onerror="window.owned = 2">';
/** Of a file. */
const name = "<b>x</b>.html";
const terminal = "\u001b]0;owned\u0007\u001b[31mred\u001b[0m";
/** Clears a screen, and turns what follows around. */
const turned = "\u001b[2Jpay\u202egnp.exe";
const lineCount = 100_000;

const instance = temporaryServer();
let server: RunningServer;
let shown: Showcase;

beforeAll(async () => {
  server = await instance.start();
  shown = await showcase(server);
  const { database, folder } = server.parts.place;
  await database.query("update loops set requirement = $2 where id = $1", [
    shown.running,
    `${script}${image}`,
  ]);
  await database.query("update tasks set title = $2, instructions = $2 where id = $1", [
    shown.task,
    `${image}${script}${turned}`,
  ]);
  const at = new Date().toISOString();
  const said = [
    { type: "text", text: `${script}${image}` },
    { type: "raw", stream: "stdout", line: `${terminal} ${script}` },
    { type: "raw", stream: "stdout", line: turned },
    ...Array.from({ length: lineCount }, (_, index) => ({
      type: "raw",
      stream: "stdout",
      line: `line ${index}`,
    })),
  ].map((event, index) => JSON.stringify({ ...event, seq: index + 1, at }));
  const files = join(folder, "runs", shown.judged);
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, "events.ndjson"), `${said.join("\n")}\n`);
  writeFileSync(join(files, "diff.patch"), hostilePatch());
  writeFileSync(join(files, "verify.log"), `${turned}\n`);
});

afterAll(() => instance.remove());

test("attack 28 a requirement, a title and instructions with scripts in them are text", async () => {
  const { page, complaints } = await openPage(`${server.url}/loops/${shown.running}`);
  await page.getByRole("heading", { name: script }).waitFor();
  await load(page, `${server.url}/tasks/${shown.task}`);
  const title = page.getByRole("heading", { name: image });
  expect(await title.textContent()).toContain("\\u{1b}[2Jpay\\u{202e}gnp.exe");
  expect(await page.title()).toContain("pay\\u{202e}gnp.exe");
  expect(await page.evaluate("window.owned")).toBeUndefined();
  expect(complaints).toEqual([]);
});

test("attack 28 what an agent says and changes is text too, and its terminal tricks are gone", async () => {
  const { page, complaints } = await openPage(`${server.url}/runs/${shown.judged}?tab=diff`);
  await page.getByText("window.owned = 1").first().waitFor();
  await page.locator("summary").getByText(name, { exact: true }).waitFor();
  await page.getByRole("region", { name }).getByText("pay\\u{202e}gnp.exe").waitFor();
  await load(page, `${server.url}/runs/${shown.judged}?tab=logs`);
  await page.getByText("pay\\u{202e}gnp.exe", { exact: true }).waitFor();
  await load(page, `${server.url}/runs/${shown.judged}`);
  const transcript = page.getByLabel("Transcript", { exact: true }).last();
  await transcript.getByText(`red ${script}`).waitFor();
  await transcript.getByText("pay\\u{202e}gnp.exe", { exact: true }).waitFor();
  expect(await page.title()).not.toContain("owned");
  expect(await page.evaluate("window.owned")).toBeUndefined();
  expect(complaints).toEqual([]);
});

test("a transcript of 100,000 lines scrolls and can be searched, with few of them in the page", async () => {
  const { page } = await openPage(`${server.url}/runs/${shown.judged}`);
  await page.getByText("100,003 lines").waitFor({ timeout: 60_000 });
  const box = page.locator("section[aria-label=Transcript]");
  await box.press("End");
  await page.getByText(`line ${lineCount - 1}`, { exact: true }).waitFor();
  expect(await box.locator("pre").count()).toBeLessThan(300);
  await page.getByRole("searchbox").fill("line 54321");
  await page.getByText("1 line", { exact: true }).waitFor();
  await page.getByText("line 54321", { exact: true }).waitFor();
});

function hostilePatch(): string {
  return `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1,3 @@\n-old\n+${script}\n+${image}\n+${turned}\n`;
}
