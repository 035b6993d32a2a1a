import Docker from "dockerode";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { debianBaseImage } from "../../packages/sandbox/src/image/debian-base.ts";
import { findImage } from "../../packages/sandbox/src/image/labels.ts";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer } from "../setup/ask-server.ts";
import { until } from "../setup/until.ts";
import { openPage, seriousOf } from "./open-page.ts";

/** Checks of logins start containers, and a build may find nothing in the cache. */
const timeoutMs = 900_000;

const tag = "opentiger-test/worker:browser";
const docker = new Docker();
const engine = process.env["DOCKER_HOST"];
/** With which the engine's own image was made: with others nothing of it would be in the cache. */
const certificates = ["OPENTIGER_BUILD_CA_FILE", "NODE_EXTRA_CA_CERTS"].flatMap((key) => {
  const value = process.env[key];
  return value === undefined ? [] : [[key, value]];
});
const instance = temporaryServer({
  ...Object.fromEntries(certificates),
  ...(engine === undefined ? {} : { DOCKER_HOST: engine }),
});
let server: RunningServer;

beforeAll(async () => {
  server = await instance.start();
});

afterAll(async () => {
  await instance.remove();
  if (await findImage(docker, tag)) await docker.getImage(tag).remove({ force: true });
});

const setting = async (key: string): Promise<unknown> => {
  const { json } = await askServer(server.url, "/config");
  // As the route says.
  const { settings } = json as { settings: { key: string; value: unknown }[] };
  return settings.find((entry) => entry.key === key)?.value;
};

describe("the System page", { timeout: timeoutMs }, () => {
  test("A3 Execution_Environment is switched there, after it was said what will change", async () => {
    const { page, complaints, foreign } = await openPage(`${server.url}/system`);
    const selector = page.getByRole("group", { name: "Execution_Environment" });
    expect(await selector.getByRole("radio", { name: /^Sandbox/ }).isChecked()).toBe(true);
    await selector.getByRole("radio", { name: /^Host/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/without isolation/).waitFor();
    expect(await setting("EXECUTION_ENVIRONMENT")).toBe("sandbox");
    await dialog.getByRole("button", { name: "Switch to Host" }).click();
    await page.getByText("LAUNCH_MODE=process").waitFor();
    expect(await selector.getByRole("radio", { name: /^Host/ }).isChecked()).toBe(true);
    expect(await setting("EXECUTION_ENVIRONMENT")).toBe("host");
    await page.reload();
    await selector.getByRole("radio", { name: /^Sandbox/ }).click();
    await dialog.getByRole("button", { name: "Switch to Sandbox" }).click();
    await page.getByText("LAUNCH_MODE=docker").waitFor();
    expect(await setting("EXECUTION_ENVIRONMENT")).toBe("sandbox");
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
  });

  test("A3 a change by somebody else is seen at once", async () => {
    const { page } = await openPage(`${server.url}/system`);
    await page.getByText("LAUNCH_MODE=docker").waitFor();
    await page.locator("[data-connection=live]").first().waitFor();
    const body = { EXECUTION_ENVIRONMENT: "host" };
    await askServer(server.url, "/config", { method: "PATCH", body });
    await page.getByText("LAUNCH_MODE=process").waitFor();
    await askServer(server.url, "/config", { method: "PATCH", body: { EXECUTION_ENVIRONMENT: "sandbox" } });
    await page.getByText("LAUNCH_MODE=docker").waitFor();
  });

  test("logins of host and sandbox are checked, with the remedy, and checked again", async () => {
    const { page } = await openPage(`${server.url}/system`);
    const inSandbox = page.locator('[data-login="Claude Code sandbox"]');
    await inSandbox.getByText("Not logged in").waitFor({ timeout: timeoutMs });
    await inSandbox.getByText(/claude setup-token/).waitFor();
    for (const agent of ["Codex", "OpenCode"])
      await page
        .locator(`[data-login="${agent} sandbox"]`)
        .getByText(/checked/)
        .waitFor({ timeout: timeoutMs });
    const onHost = page.locator('[data-login="Claude Code host"]');
    const asked = page.waitForRequest(/\/system\/claude\/auth\?environment=host/);
    await onHost.getByRole("button", { name: /Check again/ }).click();
    await asked;
    await onHost.getByText(/checked/).waitFor({ timeout: timeoutMs });
    expect(await seriousOf(page)).toEqual([]);
  });

  test("the image is built, and how far it is is shown", async () => {
    await askServer(server.url, "/config", { method: "PATCH", body: { SANDBOX_DOCKER_IMAGE: tag } });
    const first = await openPage(`${server.url}/system`);
    await first.page.getByText("Not built").waitFor({ timeout: timeoutMs });
    await first.page.getByRole("button", { name: "Build image" }).click();
    const dialog = first.page.getByRole("dialog");
    // As the engine's own image was made: its layers are in the cache then.
    if (await findImage(docker, debianBaseImage)) await dialog.getByLabel("Base").selectOption("debian");
    const begun = first.page.waitForResponse((answer) => answer.request().method() === "POST");
    await dialog.getByRole("button", { name: "Build", exact: true }).click();
    await begun;
    // Closing the window does not end it, and another one shows the same build.
    await first.page.close();
    const { page, complaints } = await openPage(`${server.url}/system`);
    await page.getByText("The image is built").waitFor({ timeout: timeoutMs });
    await page.getByText(/^Step (\d+) of \1$/).waitFor();
    await page.getByRole("button", { name: "Show the output" }).click();
    await page.getByRole("log").getByText(/LABEL/).waitFor();
    await page.getByText("Ready").waitFor({ timeout: timeoutMs });
    expect(await findImage(docker, tag)).toBeDefined();
    expect(complaints).toEqual([]);
    await askServer(server.url, "/config", { method: "PATCH", body: { SANDBOX_DOCKER_IMAGE: null } });
  });

  test("settings are searched, checked and saved, and go back to their default", async () => {
    const { page } = await openPage(`${server.url}/system?tab=configuration`);
    await page.getByLabel("Search settings").fill("how often judge failed");
    const row = page.locator("[data-setting=OPENTIGER_REWORKS]");
    await row.waitFor();
    expect(await page.locator("[data-setting]").count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("q")).toBe("how often judge failed");
    const field = row.getByLabel("OPENTIGER_REWORKS", { exact: true });
    await field.fill("500");
    await row.getByRole("button", { name: "Save" }).click();
    await row
      .getByRole("alert")
      .getByText(/0 to 20/)
      .waitFor();
    expect(await setting("OPENTIGER_REWORKS")).toBe(3);
    await field.fill("7");
    await row.getByRole("button", { name: "Save" }).click();
    await row.getByText("changed").waitFor();
    expect(await setting("OPENTIGER_REWORKS")).toBe(7);
    await row.getByRole("button", { name: /Back to the default/ }).click();
    await row.getByText("default").waitFor();
    expect(await setting("OPENTIGER_REWORKS")).toBe(3);
    expect(await seriousOf(page)).toEqual([]);
  });

  test("what the environment says cannot be changed there", async () => {
    const pinned = await instance.start({ env: { ...instance.env, EXECUTION_ENVIRONMENT: "host" } });
    const { page } = await openPage(`${pinned.url}/system`);
    await page.getByText("The environment of the server says this", { exact: false }).waitFor();
    expect(await page.getByRole("radio", { name: /^Sandbox/ }).isDisabled()).toBe(true);
    await pinned.close();
  });

  test("a key is shown once, is good, and is refused after it was revoked", async () => {
    const { page } = await openPage(`${server.url}/system?tab=keys`);
    await page.getByText("No keys yet").waitFor();
    const made = await askServer(server.url, "/auth/keys", { method: "POST", body: { name: "of-another" } });
    await page.getByRole("row", { name: /of-another/ }).waitFor();
    const { id } = z.object({ id: z.string() }).parse(made.json);
    await askServer(server.url, `/auth/keys/${id}`, { method: "DELETE" });
    await page.getByText("No keys yet").waitFor();
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("ci");
    await page.getByRole("button", { name: "Make the key" }).click();
    const key = await page.getByRole("dialog").locator("code").first().textContent();
    const me = () => askServer(server.url, "/auth/me", { headers: { "x-api-key": key ?? "" } });
    expect((await me()).json).toMatchObject({ kind: "key" });
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("row", { name: /ci/ }).waitFor();
    expect(await page.content()).not.toContain(key ?? "no key");
    await page.getByRole("button", { name: "Revoke: ci" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No keys yet").waitFor();
    await until("the key is refused", async () => (await me()).status === 401);
  });
});
