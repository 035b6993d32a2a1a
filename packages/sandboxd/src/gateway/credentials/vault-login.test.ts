import { expect, it } from "vitest";
import { VaultLogin } from "./vault-login.ts";

it("a login that we have replaced is not taken for news when a slow request still brings it", async () => {
  const kept: string[] = [];
  const login = new VaultLogin({ update: async (_name, text) => void kept.push(text) }, "name", "origin");
  login.see("first");
  await login.write("second");
  login.see("first");
  expect(await login.read()).toEqual({ ok: true, text: "second" });
  login.see("put in by the user");
  expect(await login.read()).toEqual({ ok: true, text: "put in by the user" });
  expect(kept).toEqual(["second"]);
});

it("a login that could not be kept in the vault is still the old one here", async () => {
  const full = { update: () => Promise.reject(new Error("full")) };
  const login = new VaultLogin(full, "name", "origin");
  login.see("first");
  await expect(login.write("second")).rejects.toThrow("full");
  login.see("first");
  expect(await login.read()).toEqual({ ok: true, text: "first" });
});
