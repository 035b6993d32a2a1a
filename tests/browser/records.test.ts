import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer } from "../setup/ask-server.ts";
import { openPage } from "./open-page.ts";
import { type Showcase, showcase } from "./showcase.ts";

const instance = temporaryServer();
let server: RunningServer;
let shown: Showcase;

beforeAll(async () => {
  server = await instance.start();
  shown = await showcase(server);
});

afterAll(() => instance.remove());

const usage = z.object({ items: z.array(z.object({ key: z.string(), runs: z.number() })) });

const runs = z.object({ items: z.array(z.object({ id: z.string() })) });

describe("what was done and used", () => {
  test("the overview counts the tasks that came to their end", async () => {
    const { page } = await openPage(server.url);
    const card = page.locator("section", { has: page.getByRole("heading", { name: "Throughput" }) });
    await card.getByText("6", { exact: true }).waitFor();
    await card.getByText("6 in the last hour · 1 failed today").waitFor();
    const today = new Date().toISOString().slice(0, 10);
    const chart = await card.getByRole("img").getAttribute("aria-label");
    expect(chart).toContain(`${today}: 6 done, 1 failed`);
  });

  test("usage is summed by agent, model, loop, role and day, and the address says by which", async () => {
    const { page, complaints } = await openPage(`${server.url}/usage?from=week`);
    const tables = { Agent: "agent", Model: "model", Loop: "loop", Role: "role", Day: "day" };
    for (const [name, by] of Object.entries(tables)) {
      await page.getByRole("group", { name: "Grouped by" }).getByRole("button", { name }).click();
      const rows = page.getByRole("table", { name, exact: true }).locator("tbody tr");
      const from = new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10);
      const { json } = await askServer(server.url, `/usage?by=${by}&from=${from}`);
      const { items } = usage.parse(json);
      await rows.nth(items.length - 1).waitFor();
      expect(await rows.count()).toBe(items.length);
      const runs = await rows.locator("td:nth-child(2)").allTextContents();
      expect(runs.toSorted()).toEqual(items.map((item) => String(item.runs)).toSorted());
      expect(new URL(page.url()).searchParams.get("tab")).toBe(by);
    }
    await page
      .getByRole("group", { name: "What the chart shows" })
      .getByRole("button", { name: "Tokens" })
      .click();
    await page.waitForURL(/measure=total/);
    expect(complaints).toEqual([]);
  });

  test("what happened last in a loop stands first, however much happened before", async () => {
    await server.parts.place.database.query(
      "insert into events (loop_id, type, data) select $1, 'loop.edit', '{}' from generate_series(1, 150)",
      [shown.failed],
    );
    await server.parts.place.database.query(
      "insert into events (loop_id, type, data) values ($1, 'loop.pause', $2::jsonb)",
      [shown.failed, '{"from":"running","to":"paused(budget)"}'],
    );
    const { page } = await openPage(`${server.url}/loops/${shown.failed}?tab=activity`);
    const events = page.getByRole("tabpanel").getByRole("listitem");
    await events
      .first()
      .getByText(/Running.*Out of budget.*loop\.pause.*by the reconciler/)
      .waitFor();
    expect(await events.count()).toBe(100);
    await page.getByRole("button", { name: "Show what happened before" }).click();
    await events.last().getByText("Loop started").waitFor();
  });

  test("a loop that has used its budget is tried again with a larger one", async () => {
    await server.parts.place.database.query(
      `update loops set settings = settings || '{"budget":{"tokens":1,"usd":null}}' where id = $1`,
      [shown.failed],
    );
    const { page } = await openPage(`${server.url}/loops/${shown.failed}`);
    await page.getByRole("button", { name: "Retry what failed" }).click();
    const dialog = page.getByRole("dialog", { name: "Raise the budget" });
    await dialog.getByRole("button", { name: "Retry what failed" }).click();
    await page.getByText(/The loop has used \d+ of the 2 tokens/).waitFor();
    await dialog.getByRole("spinbutton", { name: "Budget in tokens" }).fill("1000000000");
    await dialog.getByRole("button", { name: "Retry what failed" }).click();
    await page.getByText("What failed is tried again").waitFor();
    await page.locator("h1 + [data-state=running]").waitFor();
  });

  test("of a run whose transcript is not kept any more, the page says that it is gone, and by which setting", async () => {
    const { json } = await askServer(server.url, `/tasks/${shown.failedTask}/runs`);
    const [run] = runs.parse(json).items;
    const { page, complaints } = await openPage(`${server.url}/runs/${run?.id}`);
    await page.getByText("What the agent said is gone").waitFor();
    await page.getByText(/OPENTIGER_ARTIFACT_TIME says how long/).waitFor();
    expect(await page.getByText("The agent said nothing").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("judgements are filtered, and their evidence is unfolded", async () => {
    const { page } = await openPage(`${server.url}/judgements`);
    const all = page.locator("main article");
    await all.first().waitFor();
    await page.getByRole("button", { name: "Passed", exact: true }).click();
    await page.getByText("None of these").waitFor();
    await page.getByRole("button", { name: "Failed", exact: true }).click();
    await all.getByText("2 checks, 1 red · 1 point").waitFor();
    await all.getByRole("button", { name: "Show the evidence" }).click();
    await all.getByText("Assert on the rows, not on their count.").waitFor();
    await all.getByRole("link", { name: "Write tests for JSON output" }).click();
    await page.waitForURL(`**/tasks/${shown.task}`);
  });
});

describe("who does what", () => {
  test("another agent and model are chosen for a role, and kept", async () => {
    const { page } = await openPage(`${server.url}/agents`);
    await page.getByLabel("Worker: Agent").selectOption("codex");
    await page.getByText("Worker is changed").first().waitFor();
    await page.getByLabel("Worker: Model").fill("gpt-next");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByLabel("Worker: Model").waitFor();
    expect(await page.getByLabel("Worker: Agent").inputValue()).toBe("codex");
    expect(await page.getByLabel("Worker: Model").inputValue()).toBe("gpt-next");
  });

  test("what was asked is in the audit, what was refused too, and neither says what stood in it", async () => {
    const secret = "do-not-keep-this";
    await askServer(server.url, "/config", { method: "PATCH", body: { OPENTIGER_WORKER_MODEL: secret } });
    await askServer(server.url, "/config", { method: "PATCH", body: { NO_SUCH_KEY: secret } });
    const { page } = await openPage(`${server.url}/audit`);
    const rows = page.getByRole("table", { name: "Audit" }).locator("tbody tr");
    await rows.filter({ hasText: "/config" }).filter({ hasText: "200" }).first().waitFor();
    await page.getByLabel("Only refused").check();
    await rows.filter({ hasText: "400" }).first().waitFor();
    expect(await rows.filter({ hasText: "200" }).count()).toBe(0);
    await page.getByLabel("Search").fill("nobody-did-that");
    await page.getByText("Nothing of what is loaded fits that.").waitFor();
    expect(await page.content()).not.toContain(secret);
  });
});
