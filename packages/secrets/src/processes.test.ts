import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundledModule } from "../../../tests/setup/bundled-program.ts";
import { type TemporaryVault, temporaryVault } from "./temporary-vault.ts";

type Other = ChildProcessByStdio<Writable, Readable, null>;

let module: string;
let place: TemporaryVault;

beforeAll(async () => {
  module = await bundledModule(new URL("./index.ts", import.meta.url));
});

beforeEach(() => {
  place = temporaryVault(new Date());
});

afterEach(() => place.remove());

/** A process with the vault open as `vault`. */
function other(script: string): Other {
  const options = JSON.stringify({ stateFolder: place.stateFolder, env: place.env, program: "other" });
  const source = `import { openVault } from ${JSON.stringify(module)};
    const vault = openVault(${options});
    const say = (line) => process.stdout.write(line + "\\n");
    ${script}`;
  const words = ["--input-type=module", "--eval", source];
  return spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
}

describe("processes that change the vault at the same time", () => {
  it("lose nothing of each other's, from the first secret and the key on", async () => {
    const writers = ["a", "b", "c"].map((writer) =>
      other(`say("ready");
        await new Promise((resolve) => process.stdin.once("end", resolve).resume());
        for (let number = 0; number < 15; number += 1) {
          await vault.add("${writer}" + number, Buffer.from("${writer}" + number));
          const { id } = await vault.lease("${writer}" + number, { ttlMs: 60_000, holder: { who: "${writer}" } });
          say(id);
        }`),
    );
    await Promise.all(writers.map(({ stdout }) => once(stdout, "readable")));
    for (const { stdin } of writers) stdin.end();
    const said = await Promise.all(writers.map(({ stdout }) => text(stdout)));
    const ids = said.flatMap((lines) => lines.trim().split("\n").slice(1));
    expect(ids).toHaveLength(45);
    expect(await place.vault.list()).toHaveLength(45);
    expect((await place.vault.leases()).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const { events, damaged } = await place.vault.audit(1000);
    expect({ damaged, events: events.length }).toEqual({ damaged: 0, events: 90 });
    expect(new Set(events.map(({ pid }) => pid)).size).toBe(3);
  });
});

describe("a process killed at any moment", () => {
  it("leaves every secret it said was written, and a vault that works on", async () => {
    await place.vault.add("kept", Buffer.from("always here"));
    const confirmed = new Map<string, string>();
    for (let round = 0; round < 4; round += 1) {
      const writer = other(`
        for (let number = 0; ; number += 1) {
          const name = "r${round}-" + (number % 5);
          const value = "${round}/" + number;
          say("try " + name + " " + value);
          const held = (await vault.list()).some((secret) => secret.name === name);
          await (held ? vault.update(name, Buffer.from(value)) : vault.add(name, Buffer.from(value)));
          await vault.lease(name, { ttlMs: 60_000, holder: { who: "writer" } });
          say("did " + name + " " + value);
        }`);
      const tried = await killedAfter(writer, 10 + round * 8, confirmed);
      await expectAll(confirmed, tried);
    }
    expect(confirmed.size).toBeGreaterThan(10);
    await place.vault.add("after", Buffer.from("the kills"));
    expect(readFileSync(place.keyFile, "utf8")).toContain("AGE-SECRET-KEY-1");
    expect((await place.vault.audit(10_000)).damaged).toBe(0);
  });

  /** What was in the making when it was killed is there or not, and either is right. */
  async function expectAll(confirmed: Map<string, string>, tried: Map<string, string>): Promise<void> {
    const vault = place.opened();
    for (const [name, value] of confirmed) {
      const held = await vault.value(name, { ttlMs: 1, holder: { who: "x" }, purpose: "test" });
      const possible = [value, tried.get(name)];
      expect(possible, name).toContain(held.value.toString());
      confirmed.set(name, held.value.toString());
    }
    const { value } = await vault.value("kept", { ttlMs: 1, holder: { who: "x" }, purpose: "test" });
    expect(value.toString()).toBe("always here");
  }
});

/** Kills it between two lines of its own choosing, at a random point of what it does next. */
async function killedAfter(writer: Other, lines: number, confirmed: Map<string, string>) {
  const tried = new Map<string, string>();
  let seen = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    const [what, name = "", value = ""] = line.split(" ");
    (what === "did" ? confirmed : tried).set(name, value);
    seen += 1;
    if (seen === lines) setTimeout(() => writer.kill("SIGKILL"), Math.random() * 15);
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, "exit");
  expect(writer.signalCode).toBe("SIGKILL");
  return tried;
}
