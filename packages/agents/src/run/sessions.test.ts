import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandDriver } from "../command/command-driver.ts";
import { eventsOf, type HostPlace, newHostPlace, says } from "./fixture/host-place.ts";
import { runAgent } from "./run-agent.ts";

let place: HostPlace;
let sessions: string;

beforeAll(async () => {
  place = await newHostPlace();
  sessions = join(place.folder, "sessions");
});

afterAll(() => place.remove());

/** Adds a line to its conversation and says how many it has. */
const talk = `echo turn >> "$SESSION"
printf '{"type":"started","session":"%s","model":null,"resumed":%s}\\n' "$SESSION_ID" "$RESUMED"
printf '{"type":"text","text":"%s"}\\n' "$(wc -l < "$SESSION")"`;
const done = `${talk}\n${says({ ending: {} })}`;

describe("a conversation", () => {
  it("is kept outside, for its owner alone, and gone on with in a place that has lost it", async () => {
    const id = randomUUID();
    const first = await runAgent(place.request(done, { sessions, task: { session: { kind: "new", id } } }));
    expect(await first.outcome).toMatchObject({ session: id, sessionKept: true, resumed: { asked: false } });
    const kept = join(sessions, `script-${id}`);
    expect(readFileSync(kept, "utf8")).toBe("turn\n");
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    rmSync(join(place.folder, `script-${id}`));
    const second = await runAgent(
      place.request(done, { sessions, task: { session: { kind: "resumed", id } } }),
    );
    expect(await eventsOf(second)).toMatchObject([{ type: "started" }, { text: "2" }]);
    expect(await second.outcome).toMatchObject({
      ok: true,
      session: id,
      resumed: { asked: true, done: true },
    });
    expect(readFileSync(kept, "utf8")).toBe("turn\nturn\n");
  });

  it("that is still there is not put back from an older copy", async () => {
    const id = randomUUID();
    const first = await runAgent(place.request(done, { task: { session: { kind: "new", id } } }));
    expect(await first.outcome).toMatchObject({ sessionKept: false });
    const second = await runAgent(
      place.request(done, { sessions, task: { session: { kind: "resumed", id } } }),
    );
    expect(await eventsOf(second)).toMatchObject([{ type: "started" }, { text: "2" }]);
  });

  it("of a run that was cancelled is kept", async () => {
    const id = randomUUID();
    const request = place.request(`${talk}\nsleep 600`, { sessions, task: { session: { kind: "new", id } } });
    const run = await runAgent(request);
    for await (const event of run.events) if (event.type === "text") await run.cancel();
    expect(await run.outcome).toMatchObject({ session: id, sessionKept: true });
    expect(existsSync(join(sessions, `script-${id}`))).toBe(true);
  });

  it("that is nowhere is begun anew with the prompt for that, and the outcome says so", async () => {
    const id = randomUUID();
    const request = place.request("exit 7", {
      sessions,
      promptIfFresh: done,
      task: { session: { kind: "resumed", id } },
    });
    const outcome = await (await runAgent(request)).outcome;
    expect(outcome).toMatchObject({
      ok: true,
      resumed: { asked: true, done: false, reason: expect.stringContaining("nor kept outside") },
    });
    expect(outcome.session).not.toBe(id);
  });

  it("that the agent itself does not know is said to be a new one", async () => {
    const id = randomUUID();
    await (await runAgent(place.request(done, { task: { session: { kind: "new", id } } }))).outcome;
    const forgetful = `RESUMED=false; SESSION_ID=other\n${done}`;
    const run = await runAgent(place.request(forgetful, { task: { session: { kind: "resumed", id } } }));
    expect(await run.outcome).toMatchObject({ session: "other", resumed: { asked: true, done: false } });
    expect(run.resumed).toMatchObject({ done: false });
  });

  it("with an agent that has none is begun anew", async () => {
    const driver = commandDriver({ command: ["true"] });
    const request = place.request("", { driver, task: { session: { kind: "resumed", id: randomUUID() } } });
    expect(await (await runAgent(request)).outcome).toMatchObject({
      resumed: { asked: true, done: false, reason: "true cannot resume a conversation" },
    });
  });

  it("whose id is no plain word does not become a path", async () => {
    const id = "../../escaped";
    const script = `printf '{"type":"started","session":"${id}","model":null,"resumed":false}\\n'\n${says({ ending: {} })}`;
    const driver = {
      ...place.request("").driver,
      session: { save: async () => Buffer.from("kept"), restore: async () => {} },
    };
    const outcome = await (await runAgent(place.request(script, { sessions, driver }))).outcome;
    expect(outcome).toMatchObject({ session: id, sessionKept: true });
    expect(existsSync(join(sessions, `script-${id}`))).toBe(false);
  });
});
