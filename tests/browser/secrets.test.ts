import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer } from "../setup/ask-server.ts";
import { openPage, seriousOf } from "./open-page.ts";

const instance = temporaryServer();
let server: RunningServer;

beforeAll(async () => {
  server = await instance.start();
});

afterAll(() => instance.remove());

const value = "a-value-that-nobody-may-see-7731";

describe("the vault in a browser", () => {
  test("a secret is added, and its value is never seen again", async () => {
    const { page, complaints, foreign } = await openPage(`${server.url}/secrets`);
    const answers: string[] = [];
    page.on(
      "response",
      (answer) =>
        void answer.text().then(
          (text) => answers.push(text),
          () => {},
        ),
    );
    await page.getByText("The vault is empty").waitFor();
    await page.getByRole("button", { name: "Add a secret" }).click();
    await page.getByLabel("Name").fill("my_service_token");
    await page.getByLabel("Value").fill(value);
    await page.getByLabel("Ends on").fill("2035-01-31");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    const row = page.getByRole("row", { name: /my_service_token/ });
    await row.getByText("Good").waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(value);
    await page.reload();
    await row.waitFor();
    expect(await page.content()).not.toContain(value);
    expect(answers.join("\n")).toContain("my_service_token");
    expect(answers.join("\n")).not.toContain(value);
    expect(await seriousOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
  });

  test("it is replaced by another value, and the vault has that one", async () => {
    const { page } = await openPage(`${server.url}/secrets`);
    await page.getByRole("button", { name: "Replace: my_service_token" }).click();
    await page.getByLabel("Value").fill(`${value}-2`);
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("my_service_token is in the vault").waitFor();
    const held = await server.parts.vault.value("my_service_token", {
      holder: { who: "a test" },
      ttlMs: 600_000,
      purpose: "to look at it",
    });
    expect(held.value.toString()).toBe(`${value}-2`);
  });

  test("who uses it is seen, and the lease is revoked", async () => {
    const { page } = await openPage(`${server.url}/secrets`);
    const leases = page.getByRole("table", { name: "Leases" });
    await leases.getByText("a test").waitFor();
    await leases.getByRole("button", { name: "Revoke: my_service_token" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Nobody uses a secret at the moment.").waitFor();
    expect((await askServer(server.url, "/secrets/leases")).json).toEqual({ items: [], next: null });
  });

  test("a name that may not be one is refused with the reason, and what was written stays", async () => {
    const { page } = await openPage(`${server.url}/secrets`);
    await page.getByRole("button", { name: "Add a secret" }).click();
    await page.getByLabel("Name").fill("Not a name");
    await page.getByLabel("Value").fill("x");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText(/lowercase letters, digits/).waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Not a name");
  });

  test("it is removed after a question", async () => {
    const { page } = await openPage(`${server.url}/secrets`);
    await page.getByRole("button", { name: "Remove: my_service_token" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("The vault is empty").waitFor();
  });
});
