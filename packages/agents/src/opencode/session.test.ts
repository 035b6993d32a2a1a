import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LaunchPlace } from "../driver.ts";
import { type HostPlace, newHostPlace } from "../run/fixture/host-place.ts";
import { session } from "./session.ts";

const id = "ses_e1d5e0fa5ffe5rHkHiXdq1C4S5";
const conversation = (said: string) =>
  JSON.stringify({ info: { id, title: "openTiger" }, messages: [{ parts: [{ type: "text", text: said }] }] });

/** Has one conversation, in a file in place of its database. Like the real one it is started with our guard only. */
const standIn = `#!/bin/sh
[ -s "$BUN_INSPECT_PRELOAD" ] && [ "$PWD" = "$(pwd)" ] || exit 9
case $1 in
  export) grep -q "$2" "$OPENCODE_DB" || { echo "Error: Session not found: $2" >&2; exit 1; }; cat "$OPENCODE_DB" ;;
  import) cat "$2" > "$OPENCODE_DB" ;;
esac
`;

describe("a conversation of OpenCode's", () => {
  let host: HostPlace;

  beforeAll(async () => {
    host = await newHostPlace();
    mkdirSync(join(host.folder, "bin"));
    writeFileSync(join(host.folder, "bin/opencode"), standIn);
    chmodSync(join(host.folder, "bin/opencode"), 0o755);
  });
  afterAll(() => host.remove());

  const place = (name: string): LaunchPlace => ({
    backend: "host",
    cwd: host.workspace,
    home: host.folder,
    folder: join(host.folder, name),
    env: { PATH: `${join(host.folder, "bin")}:${process.env["PATH"]}` },
  });

  it("is exported, and imported elsewhere", async () => {
    const whole = conversation("x".repeat(300_000));
    mkdirSync(place("first").folder);
    writeFileSync(join(place("first").folder, "opencode.db"), whole);
    const kept = await session.save(host.sandbox, place("first"), id);
    expect(kept?.toString()).toBe(whole);
    await session.restore(host.sandbox, place("second"), id, kept ?? Buffer.alloc(0));
    expect(readFileSync(join(place("second").folder, "opencode.db"), "utf8")).toBe(whole);
  });

  it("is nothing where there is none, and OpenCode is not even started", async () => {
    const missing = { ...place("third"), env: { PATH: "/usr/bin:/bin" } };
    expect(await session.save(host.sandbox, missing, id)).toBeUndefined();
    expect(await session.save(host.sandbox, place("second"), "ses_another")).toBeUndefined();
    expect(await session.save(host.sandbox, place("second"), "$(touch x)")).toBeUndefined();
  });

  it("is not kept in parts", async () => {
    mkdirSync(place("cut").folder);
    writeFileSync(join(place("cut").folder, "opencode.db"), conversation("whole").slice(0, -1));
    expect(await session.save(host.sandbox, place("cut"), id)).toBeUndefined();
  });

  it("is not put back where it is another one", async () => {
    const kept = Buffer.from(conversation("hello"));
    const restored = session.restore(host.sandbox, place("fourth"), "ses_another", kept);
    await expect(restored).rejects.toThrow("is not a conversation of OpenCode's");
  });

  it("says why it could not be read", async () => {
    mkdirSync(place("broken").folder);
    writeFileSync(join(place("broken").folder, "opencode.db"), "");
    const broken = { ...place("broken"), env: { PATH: "/usr/bin:/bin" } };
    await expect(session.save(host.sandbox, broken, id)).rejects.toThrow("not found");
  });
});
