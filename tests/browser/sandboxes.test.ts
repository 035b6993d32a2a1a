import { execFileSync } from "node:child_process";
import { EmbeddedPostgres } from "@opentiger/orchestrator";
import { Sandboxd } from "@opentiger/sandboxd";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type RunningServer, startServer } from "../../packages/server/src/server.ts";
import { askServer } from "../setup/ask-server.ts";
import { atEnd } from "../setup/at-end.ts";
import { type Instance, newInstance } from "../setup/sandbox.ts";
import { onlineInstance } from "../setup/sandboxd.ts";
import { canHaveSmallInternet, smallInternet } from "../setup/small-internet.ts";
import { agentUid, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";
import { openPage, seriousOf } from "./open-page.ts";

const timeoutMs = 120_000;
const name = "browser-box";
const template = "opentiger-test/browser-template:v1";
const hostile = "<img src=x onerror=alert(1)>.txt";

describe("sandboxes in a browser", { timeout: timeoutMs }, () => {
  let instance: Instance;
  let server: RunningServer;

  beforeAll(async () => {
    instance = canHaveSmallInternet
      ? await onlineInstance(await smallInternet(["blocked.test"]))
      : await usualInstance();
    atEnd(() => new EmbeddedPostgres(instance.env).remove());
    server = await serve(0);
    atEnd(() => server.close());
    const body = { name, agent: "shell", network: "deny", workspaces: [{ path: temporaryWorkspace() }] };
    const made = await askServer(server.url, "/sandboxes", { method: "POST", body });
    expect(made.status, made.text).toBe(201);
    await inside("git init -q . && git commit -q --allow-empty -m base");
  }, timeoutMs);

  const serve = (port: number) => startServer({ env: instance.env, port, processes: [] });
  const inside = async (script: string): Promise<string> => {
    const body = { command: ["sh", "-c", script] };
    const { json } = await askServer(server.url, `/sandboxes/${name}/exec`, { method: "POST", body });
    return z.object({ stdout: z.string() }).parse(json).stdout.trim();
  };
  const open = (tab = "") => openPage(`${server.url}/sandboxes/${name}${tab === "" ? "" : `?tab=${tab}`}`);

  test("are listed with what they use", async () => {
    const { page, complaints } = await openPage(`${server.url}/sandboxes`);
    const row = page.getByRole("row", { name: new RegExp(name) });
    await row.getByText("Running").waitFor();
    await row.getByText("Only what is listed").waitFor();
    await row.getByText(/\d %/).waitFor();
    await row
      .getByText(/\d (?:k|M)B/)
      .first()
      .waitFor();
    expect(await seriousOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
    const phone = { width: 390, height: 844 };
    await page.setViewportSize(phone);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.width);
    await row.getByRole("link", { name }).click();
    for (const tab of ["Terminal", "Network", "Ports", "Processes", "Files", "Details"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
      expect(await page.evaluate("document.documentElement.scrollWidth"), tab).toBe(phone.width);
    }
  });

  test("a terminal is opened and typed in, has the size of its box, and its shell outlives the server and the page", async () => {
    const { page, foreign } = await open();
    await page.locator("[data-terminal=open]").waitFor();
    await shows(page, agentUid === 1000 ? "worker@" : "agent@");
    await page.keyboard.type("echo it-is-$((40+2))\n");
    await shows(page, "it-is-42");
    await page.getByText("Ctrl M leaves the terminal").waitFor();
    await page.keyboard.press("Control+m");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("End shell");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".xterm").click();
    await page.keyboard.type("stty size\n");
    const size = /\b(\d+) (\d+)\b/;
    const wide = await until("the size is seen", async () => size.exec(await screen(page)));
    await page.setViewportSize({ width: 700, height: 700 });
    await page.keyboard.type("clear; stty size\n");
    await until("it has become narrower", async () => {
      const now = size.exec(await screen(page));
      return now && Number(now[2]) < Number(wide[2]);
    });
    await page.keyboard.type("cd /usr; mine=kept; clear\n");
    const { port } = server;
    await server.close();
    await page.locator("[data-terminal=lost]").waitFor();
    server = await serve(port);
    await page.locator("[data-terminal=open]").waitFor({ timeout: timeoutMs });
    await page.locator(".xterm").click();
    await page.keyboard.type("echo $mine-$((1+1)) in $PWD\n");
    await shows(page, "kept-2 in /usr");
    await page.reload();
    await shows(page, "kept-2 in /usr");
    await page.getByRole("tab", { name: "Processes" }).click();
    await page.getByRole("tab", { name: "Terminal" }).click();
    await page.locator("[data-terminal=open]").waitFor();
    await page.locator(".xterm").click();
    await page.keyboard.type("clear; echo $mine-$((2+2)); exit 3\n");
    await shows(page, "kept-4");
    await page.getByText("The shell has ended (3)").waitFor();
    await page.getByRole("button", { name: "Open again" }).click();
    await page.locator("[data-terminal=open]").waitFor();
    await page.locator(".xterm").click();
    await page.keyboard.type("sleep 4242 & echo [$mine]\n");
    await shows(page, "[]");
    await page.getByRole("button", { name: "End shell" }).click();
    await page.getByText("You have ended the shell").waitFor();
    const sleeping = () => inside("pgrep -f 'sleep 424[2]' || echo none");
    await until("what it started has ended", async () => (await sleeping()) === "none");
    expect(foreign).toEqual([]);
  });

  test.skipIf(!canHaveSmallInternet)(
    "a host that is blocked is seen as it happens, and allowed with a button",
    async () => {
      const ask = () => inside("curl -s -m 8 -o /dev/null -w '%{http_code}' http://blocked.test/");
      const { page, complaints } = await open("network");
      await page.getByText("Nothing yet").waitFor();
      expect(await ask()).toBe("403");
      const row = page.getByRole("row", { name: /blocked\.test/ });
      await row.getByText("Blocked", { exact: true }).waitFor();
      await row.getByText("policy deny").waitFor();
      await page.getByLabel("Only blocked").check();
      await page.waitForURL(/only=blocked/);
      await page.getByLabel("Only blocked").uncheck();
      await row.getByRole("button", { name: "Allow blocked.test:80" }).click();
      await row.getByText("Allowed now").waitFor();
      await page.getByRole("listitem").getByText("blocked.test:80").waitFor();
      expect(await ask()).toBe("200");
      await row.getByText("allow-host blocked.test:80").waitFor();
      expect(await seriousOf(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  test("processes and changed files are seen, and a file's name is text", async () => {
    await inside(`touch '${hostile}'`);
    const { page, complaints } = await open("files");
    await page.getByText(hostile, { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Processes" }).click();
    await page
      .getByRole("table", { name: "Running now" })
      .getByText(/supervisor/)
      .first()
      .waitFor();
    const started = page.getByRole("table", { name: "Commands that were started" });
    await started.getByText(/touch/).first().waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("a port is published and closed", async () => {
    const { page } = await open("ports");
    await page.getByText("No port is published").waitFor();
    await page.getByLabel("Port inside").fill("3000");
    await page.getByRole("button", { name: "Publish" }).click();
    // Browsers send the cookies of our page to all ports of its name: this is the machine's other one.
    expect(new URL(page.url()).hostname).toBe("127.0.0.1");
    const link = page.getByRole("link", { name: /http:\/\/localhost:\d+/ });
    expect(await link.getAttribute("rel")).toContain("noopener");
    await page.getByRole("button", { name: "Close" }).first().click();
    await page.getByText("No port is published").waitFor();
  });

  test("it is saved as a template, stopped and removed", async () => {
    atEnd(() => execFileSync("docker", ["rmi", "--force", template], { stdio: "ignore" }));
    const { page } = await open("details");
    await page.getByRole("button", { name: "Save as template" }).click();
    await page.getByLabel("Name of the image").fill(template);
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText(`Saved as ${template}`).waitFor({ timeout: timeoutMs / 2 });
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Start" }).waitFor({ timeout: timeoutMs / 2 });
    await page.getByRole("tab", { name: "Terminal" }).click();
    await page.getByText("It is not running").waitFor();
    // Nobody who looks at it starts it again.
    for (const look of ["stats", "execs", "changes"])
      expect((await askServer(server.url, `/sandboxes/${name}/${look}`)).status).toBe(409);
    const { json } = await askServer(server.url, "/sandboxes");
    expect(json).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ name, status: "stopped" })]),
    });
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText(`${name} was removed`).waitFor({ timeout: timeoutMs / 2 });
    await page.getByRole("heading", { name: "Sandboxes" }).waitFor();
    await page.getByRole("row", { name: new RegExp(name) }).waitFor({ state: "detached" });
  });
});

/** One whose sandboxd is on this machine itself: for all that reaches nothing. */
async function usualInstance(): Promise<Instance> {
  const made = await newInstance();
  atEnd(() => new Sandboxd(made.env).stop());
  return made;
}

/** Waits until this stands on the terminal. */
async function shows(page: Page, text: string): Promise<void> {
  await page.locator(".xterm-rows", { hasText: text }).waitFor({ timeout: timeoutMs / 2 });
}

/** What stands on the terminal. */
async function screen(page: Page): Promise<string> {
  return (await page.locator(".xterm-rows > div").allTextContents()).join("\n");
}
