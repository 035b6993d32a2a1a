import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer } from "../setup/ask-server.ts";
import { userRepository } from "../setup/loop-world.ts";
import { cuttingProxy } from "./cutting-proxy.ts";
import { openPage } from "./open-page.ts";

const instance = temporaryServer();

afterAll(() => instance.remove());

test("what a person asks for is done once, although its connection is cut", async () => {
  const server = await instance.start();
  const proxy = await cuttingProxy(server.url);
  const { page } = await openPage(`${proxy.url}/secrets`);
  await page.getByRole("button", { name: "Add a secret" }).click();
  await page.getByLabel("Name").fill("cut_off");
  await page.getByLabel("Value").fill("a-value-of-a-secret");
  proxy.cut("PUT /secrets/cut_off");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("cut_off is in the vault").waitFor();
  proxy.cut("DELETE /secrets/cut_off");
  await page.getByRole("button", { name: "Remove: cut_off" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("The vault is empty").waitFor();

  await page.goto(`${proxy.url}/loops/new`);
  await page.getByRole("textbox", { name: "Repository" }).fill(userRepository({ "README.md": "empty\n" }));
  await page.getByRole("textbox", { name: "Requirement", exact: true }).fill("Something, once.");
  proxy.cut("POST /loops");
  await page.getByRole("button", { name: "Start the loop" }).click();
  await page.waitForURL(/\/loops\/[a-z0-9]{8}$/);
  expect(proxy.count()).toBe(3);
  expect(await page.getByText("The server does not answer").count()).toBe(0);
  const { json } = await askServer(server.url, "/loops");
  expect(z.object({ items: z.array(z.unknown()) }).parse(json).items).toHaveLength(1);
});
