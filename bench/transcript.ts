import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "@opentiger/orchestrator";
import type { Browser, Page } from "playwright-core";
import { z } from "zod";

export interface TranscriptFigures {
  lines: number;
  /** From the navigation until all of it is there. */
  loadMs: number;
  /** The longest that a frame took while it was scrolled from its beginning to its end. */
  worstFrameMs: number;
  /** From the last letter until the one line that has it is alone. */
  searchMs: number;
}

/** What an agent says in a run, line by line. */
export interface SpokenRun {
  id: string;
  say(lines: number): void;
}

const loadedMs = 120_000;

/** A run of the queue's task with this number, of which nothing is said yet. */
export async function addSpokenRun(
  database: Database,
  folder: string,
  { task, status }: { task: number; status: "running" | "succeeded" },
): Promise<SpokenRun> {
  const { rows } = await database.query(
    `insert into runs (loop_id, task_id, stage_id, number, agent, role, status, ended_at)
     select t.loop_id, t.id, s.id, 1, 'claude_code', 'worker', $2, case when $2 = 'running' then null else now() end
     from tasks t join stages s on s.task_id = t.id where t.number = $1 returning id::text as id`,
    [task, status],
  );
  const [{ id }] = z.tuple([z.object({ id: z.string() })]).parse(rows);
  const files = join(folder, "runs", id);
  mkdirSync(files, { recursive: true, mode: 0o700 });
  const at = new Date().toISOString();
  let said = 0;
  return {
    id,
    say: (lines) => {
      const events = Array.from({ length: lines }, () => {
        said += 1;
        return JSON.stringify({ type: "raw", stream: "stdout", line: `line ${said}`, seq: said, at });
      });
      appendFileSync(join(files, "events.ndjson"), `${events.join("\n")}\n`);
    },
  };
}

/** A long transcript of a run that has ended: loaded, scrolled through, searched. */
export async function measureTranscript(
  browser: Browser,
  url: string,
  { run, lines }: { run: SpokenRun; lines: number },
): Promise<TranscriptFigures> {
  run.say(lines);
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${url}/runs/${run.id}`, { waitUntil: "commit" });
  await showsLines(page, lines);
  const loadMs = Number(await page.evaluate("performance.now()"));
  const worstFrameMs = Number(await page.evaluate(scrollThrough));
  const begun = performance.now();
  await page.getByRole("searchbox").fill(`line ${Math.floor(lines / 2)}`);
  await page.locator("mark").first().waitFor();
  const searchMs = performance.now() - begun;
  await page.context().close();
  return { lines, loadMs, worstFrameMs, searchMs };
}

/** As the page counts them. */
export async function showsLines(page: Page, lines: number): Promise<void> {
  await page.getByText(`${lines.toLocaleString("en")} lines`).waitFor({ timeout: loadedMs });
}

/** From the beginning to the end in five seconds of frames; how long each took is what the next one finds. */
const scrollThrough = `new Promise((resolve) => {
  const box = document.querySelector("section[aria-label=Transcript]");
  const frames = 300;
  const step = (box.scrollHeight - box.clientHeight) / frames;
  let drawn = 0;
  let worst = 0;
  let last;
  const draw = (now) => {
    if (last !== undefined) worst = Math.max(worst, now - last);
    last = now;
    drawn += 1;
    box.scrollTop = drawn * step;
    if (drawn <= frames) requestAnimationFrame(draw);
    else resolve(worst);
  };
  requestAnimationFrame(draw);
})`;

export function transcriptText({ lines, loadMs, worstFrameMs, searchMs }: TranscriptFigures): string {
  const ms = (value: number) => value.toFixed(0);
  return `A transcript of ${lines.toLocaleString("en")} lines is there after ${ms(loadMs)} ms; scrolled through in 300 frames, the longest took ${ms(worstFrameMs)} ms; a search of it took ${ms(searchMs)} ms.\n`;
}
