import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { ensureAgent } from "./ensure-agent.ts";
import { eventsOf, type HostPlace, newHostPlace, says } from "./fixture/host-place.ts";
import { runAgent, runFolder } from "./run-agent.ts";

let place: HostPlace;

beforeAll(async () => {
  place = await newHostPlace();
});

afterAll(() => place.remove());

/** Says one thing, waits until it is told to go on, and says another; each start of it leaves a line. */
function waiting(name: string): string {
  return [
    `echo started >> ${name}.starts`,
    says({ type: "text", text: "before" }),
    `until [ -e ${name}.go ]; do sleep 0.02; done`,
    says({ type: "text", text: "after" }),
    says({ ending: { lastText: "all" } }),
  ].join("\n");
}

function inWorkspace(name: string): string {
  return join(place.workspace, name);
}

describe("a run that is let go", () => {
  it("goes on, and is taken over by the next who asks for it: its CLI is started once", async () => {
    const request = place.request(waiting("once"));
    const letting = new AbortController();
    const run = await ensureAgent({ ...request, letGo: letting.signal });
    const heard: string[] = [];
    for await (const event of run.events) {
      if (event.type === "text") heard.push(event.text);
      letting.abort();
    }
    await expect(run.outcome).rejects.toMatchObject({ code: "session_lost" });
    expect(heard).toEqual(["before"]);
    const next = await ensureAgent({ ...request, after: 1 });
    writeFileSync(inWorkspace("once.go"), "");
    expect(await eventsOf(next)).toMatchObject([{ text: "after", seq: 2 }]);
    expect(await next.outcome).toMatchObject({ ok: true, lastText: "all", events: 2 });
    expect(readFileSync(inWorkspace("once.starts"), "utf8")).toBe("started\n");
  });

  it("before it began is not begun, and what the next one made stays", async () => {
    const request = place.request(waiting("never"));
    await expect(ensureAgent({ ...request, letGo: AbortSignal.abort() })).rejects.toThrow();
    expect(existsSync(request.transcript)).toBe(false);
    expect(existsSync(inWorkspace("never.starts"))).toBe(false);
  });

  it("after its end has the same outcome again", async () => {
    const request = place.request(says({ ending: { lastText: "short" } }));
    const first = await (await ensureAgent(request)).outcome;
    const second = await (await ensureAgent(request)).outcome;
    expect(second).toEqual(first);
  });
});

describe("a start that did not get as far as the CLI", () => {
  it.each([
    ["its folder", ""],
    ["its folder and half a transcript", '{"kind":"run","ver'],
  ])("is made again over what is left of it: %s", async (what, transcript) => {
    const name = what.replaceAll(" ", "-");
    const request = place.request(waiting(name));
    mkdirSync(join(runFolder(request), "left"), { recursive: true });
    if (transcript !== "") writeFileSync(request.transcript, transcript);
    writeFileSync(inWorkspace(`${name}.go`), "");
    const run = await ensureAgent(request);
    expect(await run.outcome).toMatchObject({ ok: true });
    await until("its folder is gone", () => !existsSync(runFolder(request)));
  });
});

describe("a process that begins a run which another one has begun meanwhile", () => {
  it("fails, and leaves the run its folder", async () => {
    const request = place.request(waiting("twice"));
    const run = await ensureAgent(request);
    // As late as it can be: its folder is its own until the transcript is found to be there.
    await expect(runAgent({ ...request, folder: join(place.folder, "zombie") })).rejects.toMatchObject({
      code: "EEXIST",
    });
    expect(existsSync(runFolder(request))).toBe(true);
    writeFileSync(inWorkspace("twice.go"), "");
    expect(await run.outcome).toMatchObject({ ok: true });
    expect(readFileSync(inWorkspace("twice.starts"), "utf8")).toBe("started\n");
  });
});
