import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type TemporaryVault, temporaryVault } from "../temporary-vault.ts";
import { AuditLog } from "./audit-log.ts";
import { eventOf } from "./event.ts";

describe("the audit of a vault", () => {
  let place: TemporaryVault;
  beforeEach(() => {
    place = temporaryVault();
  });
  afterEach(() => place.remove());

  it("tells who did what to which secret, for which sandbox and run, when, and how it ended", async () => {
    const { vault } = place;
    await vault.add("one", Buffer.from("1"));
    await vault.add("one", Buffer.from("2")).catch(() => {});
    const holder = { who: "sandboxd", sandbox: "box", run: "r1" };
    const { id } = await vault.lease("one", { ttlMs: 1000, holder });
    await vault.redeem(id, { sandbox: "box", run: "r1", purpose: "POST /v1/messages" });
    await vault.redeem(id, { sandbox: "fork", purpose: "POST /v1/messages" });
    await vault.renew(id, 1000);
    await vault.revoke(id);
    await vault.redeem(id, { sandbox: "box", run: "r1", purpose: "POST /v1/messages" });
    await vault.value("one", { ttlMs: 1000, holder: { who: "me" }, purpose: "secrets lease --raw" });
    await vault.revokeAll();
    await vault.delete("one");
    const { events, damaged } = await vault.audit(100);
    expect(damaged).toBe(0);
    expect(events.map(({ action, outcome, reason }) => [action, outcome, reason])).toEqual([
      ["add", "ok", null],
      ["add", "refused", "secret_exists"],
      ["lease", "ok", null],
      ["redeem", "ok", null],
      ["redeem", "refused", "other_holder"],
      ["renew", "ok", null],
      ["revoke", "ok", null],
      ["redeem", "refused", "revoked"],
      ["value", "ok", null],
      ["revoke_all", "ok", null],
      ["delete", "ok", null],
    ]);
    expect(events[3]).toEqual({
      at: "2026-01-01T00:00:00.000Z",
      uid: process.getuid?.(),
      user: expect.stringMatching(/./),
      pid: process.pid,
      program: "test",
      action: "redeem",
      secret: "one",
      lease: id,
      who: "sandboxd",
      sandbox: "box",
      run: "r1",
      purpose: "POST /v1/messages",
      outcome: "ok",
      reason: null,
    });
    expect(events[4]).toMatchObject({ lease: id, sandbox: "fork", run: null });
    expect(events.filter(({ secret }) => secret !== "one").map(({ action }) => action)).toEqual([
      "redeem",
      "redeem",
      "revoke_all",
    ]);
  });

  it("comes first: where it cannot be written, nothing is changed and no value is handed out", async () => {
    const { vault } = place;
    await vault.add("one", Buffer.from("1"));
    const { id } = await vault.lease("one", { ttlMs: 1000, holder: { who: "x" } });
    const { folder } = place.part("audit");
    rmSync(join(folder, "audit.jsonl"));
    mkdirSync(join(folder, "audit.jsonl"));
    const attempts = [
      vault.add("two", Buffer.from("2")),
      vault.redeem(id, { purpose: "x" }),
      vault.value("one", { ttlMs: 1, holder: { who: "x" }, purpose: "x" }),
      vault.delete("one"),
    ];
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: "vault_refused" });
    expect((await vault.list()).map(({ name }) => name)).toEqual(["one"]);
  });
});

describe("the audit's file", () => {
  const actor = { uid: 0, user: "u", pid: 1, program: "test" };
  const event = (number: number) =>
    eventOf({ action: "redeem", secret: `s${number}` }, actor, new Date("2026-01-01T00:00:00Z"));
  let top: string;
  let folder: string;
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), "ot-audit-"));
    folder = join(top, "audit");
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  it("with a last line that was cut loses that line and no other", () => {
    const log = new AuditLog(folder);
    log.append(event(1));
    log.append(event(2));
    const path = join(folder, "audit.jsonl");
    truncateSync(path, statSync(path).size - 20);
    expect(log.read(10)).toMatchObject({ events: [{ secret: "s1" }], damaged: 1 });
    log.append(event(3));
    expect(log.read(10)).toMatchObject({ events: [{ secret: "s1" }, { secret: "s3" }], damaged: 1 });
    appendFileSync(path, "\n\n");
    expect(log.read(10).damaged).toBe(1);
  });

  it("is read in its order also where it was set aside several times in a millisecond", () => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const log = new AuditLog(folder, 1);
    for (let number = 0; number < 40; number += 1) log.append(event(number));
    expect(log.read(1000).events.map(({ secret }) => secret)).toEqual(["s36", "s37", "s38", "s39"]);
  });

  it("is set aside when it is full, read across, and bounded", () => {
    const line = JSON.stringify(event(100)).length + 1;
    const log = new AuditLog(folder, line * 10);
    for (let number = 100; number < 125; number += 1) log.append(event(number));
    expect(readdirSync(folder)).toHaveLength(3);
    expect(log.read(1000).events).toHaveLength(25);
    expect(log.read(7).events.map(({ secret }) => secret)).toEqual(
      [118, 119, 120, 121, 122, 123, 124].map((number) => `s${number}`),
    );
    for (let number = 125; number < 300; number += 1) log.append(event(number));
    const { events } = log.read(1000);
    expect(readdirSync(folder).length).toBeLessThanOrEqual(5);
    expect(events.at(-1)?.secret).toBe("s299");
    expect(events.length).toBeLessThanOrEqual(50);
    expect(events.length).toBeGreaterThanOrEqual(40);
    expect(log.read(0).events).toEqual([]);
  });

  it("holds no more of a text than it needs", () => {
    const log = new AuditLog(folder);
    log.append(eventOf({ action: "redeem", purpose: "x".repeat(10_000) }, actor, new Date()));
    expect(log.read(1).events[0]?.purpose).toHaveLength(256);
  });
});

it("an event of which only the start could be written was not recorded, and whoever did it is told", () => {
  const top = mkdtempSync(join(tmpdir(), "ot-audit-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  // Not the new folder itself: the vault closes the one around it to everybody else.
  const folder = join(top, "audit");
  const log = new URL("audit-log.ts", import.meta.url).href;
  const event = new URL("event.ts", import.meta.url).href;
  const script = `
    import { AuditLog } from ${JSON.stringify(log)};
    import { eventOf } from ${JSON.stringify(event)};
    const actor = { uid: 0, user: "me", pid: 1, program: "test" };
    const audit = new AuditLog(process.argv[1]);
    let recorded = 0;
    try {
      for (;;) { audit.append(eventOf({ action: "add" }, actor, new Date())); recorded += 1; }
    } catch (error) {
      console.log(error.code, recorded === audit.read(1000).events.length);
    }`;
  const limited = 'trap "" XFSZ; ulimit -f 4; exec "$@"';
  const words = [process.execPath, "--import", "tsx", "--input-type=module", "--eval", script, folder];
  const child = spawnSync("bash", ["-c", limited, "bash", ...words], {
    encoding: "utf8",
    env: { ...process.env, TSX_DISABLE_CACHE: "1" },
  });
  expect(child).toMatchObject({ stderr: "", stdout: "vault_refused true\n" });
});
