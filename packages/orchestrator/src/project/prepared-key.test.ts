import { defaultNetworkSettings } from "@opentiger/schema";
import { expect, it } from "vitest";
import { preparedKey } from "./prepared-key.ts";

/** By commit: what its lock file contains. */
const locks: Readonly<Record<string, string>> = { base: "one", same: "one", other: "two" };

const repository = {
  path: "/no/such.git",
  userPath: process.cwd(),
  listFiles: async (commit: string) => [
    { path: "package-lock.json", mode: "100644", oid: locks[commit] ?? "", size: 1 },
  ],
};

async function keyOf(loop: string, commit: string, baseOid: string | null = "base") {
  return preparedKey({
    folder: "/home/una/.opentiger",
    environment: "sandbox",
    base: "sha256:worker",
    repository,
    loop: { id: loop, baseOid },
    commit,
    project: { setup: ["npm ci"], env: {}, lockFiles: ["package-lock.json"] },
    network: defaultNetworkSettings,
  });
}

it("the set-up of a base serves every loop, and is done where no agent has written", async () => {
  const first = await keyOf("one", "base", null);
  expect(first.commit).toBe("base");
  expect(await keyOf("two", "base")).toEqual(first);
  // A branch that changed no lock file: whoever has to do it anew does it at the base too.
  expect(await keyOf("one", "same")).toEqual(first);
  expect(await keyOf("two", "same")).toEqual(first);
});

it("the set-up of a branch whose lock files agents changed serves its own loop alone", async () => {
  const one = await keyOf("one", "other");
  expect(one.commit).toBe("other");
  expect(await keyOf("one", "other")).toEqual(one);
  expect((await keyOf("two", "other")).key).not.toBe(one.key);
  // A loop that begins there has it made for itself.
  expect((await keyOf("three", "other", "other")).key).not.toBe(one.key);
});
