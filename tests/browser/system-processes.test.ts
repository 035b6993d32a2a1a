import { afterAll, beforeAll, expect, test } from "vitest";
import { dispatcherLauncher } from "../../packages/server/src/processes/launcher.ts";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer } from "../setup/ask-server.ts";
import { openPage, seriousOf } from "./open-page.ts";

/** A process is looked at every few seconds. */
const timeoutMs = 60_000;

const instance = temporaryServer();
let server: RunningServer;

beforeAll(async () => {
  const launcher = dispatcherLauncher(instance.env);
  server = await instance.start({ processes: ["dispatcher"], launcher });
});

afterAll(async () => {
  await askServer(server.url, "/system/processes/stop-all", { method: "POST" });
  await instance.remove();
});

test("processes are shown, stopped and started, and their logs are read", async () => {
  const { page, complaints } = await openPage(`${server.url}/system?tab=processes`);
  const row = page.getByRole("row", { name: /dispatcher/ }).first();
  await row.getByText("Running").waitFor({ timeout: timeoutMs });
  const worker = page.getByRole("row", { name: /worker-1/ });
  await worker.getByText(/EXECUTION_ENVIRONMENT is sandbox/).waitFor();
  expect(await page.getByRole("button", { name: "Start: worker-1" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Log: dispatcher" }).click();
  await page
    .getByRole("dialog")
    .getByText(/dispatcher\.log/)
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Stop: dispatcher" }).click();
  await row.getByText("Stopped").waitFor({ timeout: timeoutMs });
  await page.getByRole("button", { name: "Start: dispatcher" }).click();
  await row.getByText("Running").waitFor({ timeout: timeoutMs });
  expect(await seriousOf(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
