import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRepository, scratchFolder } from "../../../../tests/setup/user-git.ts";
import { commandDriver } from "../command/command-driver.ts";
import { eventsOf, type HostPlace, newHostPlace, says } from "./fixture/host-place.ts";
import { isAlive } from "./fixture/is-alive.ts";
import type { RunGateway } from "./gateway.ts";
import { runAgent, runFolder } from "./run-agent.ts";

let place: HostPlace;

beforeAll(async () => {
  place = await newHostPlace();
});

afterAll(() => place.remove());

const text = (words: string) => ({ type: "text", text: words });

describe("a run", () => {
  it("tells what the agent does in the workspace, and that it was a success", async () => {
    const script = [
      says({ type: "started", session: "s-1", model: "m", resumed: false }),
      "echo written > file",
      says({ type: "file_change", path: "file", change: "added" }),
      "echo a line that nobody knows",
      says({ ending: { lastText: "done", turns: 2 } }),
    ];
    const run = await runAgent(place.request(script.join("\n")));
    const events = await eventsOf(run);
    expect(events.map(({ type, seq }) => `${seq} ${type}`)).toEqual(["1 started", "2 file_change", "3 raw"]);
    expect(readFileSync(join(place.workspace, "file"), "utf8")).toBe("written\n");
    expect(await run.outcome).toMatchObject({
      ok: true,
      session: "s-1",
      lastText: "done",
      turns: 2,
      events: 3,
    });
    expect(run.session).toBe("s-1");
  });

  it("has a folder of its own inside, for the agent alone, which is gone with it", async () => {
    const command = ["sh", "-c", 'stat -c "%a %n" "$(dirname "$0")" "$0"', "{promptFile}"];
    const request = place.request("the prompt", { driver: commandDriver({ command }) });
    const run = await runAgent(request);
    const own = join(place.folder, `opentiger-run-${request.id}`);
    expect((await eventsOf(run)).map((event) => "text" in event && event.text)).toEqual([
      `700 ${own}`,
      `600 ${own}/prompt`,
    ]);
    await run.outcome;
    expect(existsSync(own)).toBe(false);
  });

  it("in a clone on the host leaves nothing where its sandbox is removed under it", async () => {
    const repository = join(scratchFolder(), "project");
    makeRepository(repository);
    const workspaces = [{ path: repository, readOnly: false }];
    const cloned = { name: "cloned", agent: "shell", workspaces, workspaceKind: "clone" } as const;
    const sandbox = await place.backend.create(cloned);
    const { folder: _, ...asked } = place.request("sleep 300", { sandbox });
    const request = { ...asked, cwd: sandbox.workspaces[0]?.path ?? "" };
    const run = await runAgent(request);
    expect(existsSync(runFolder(request))).toBe(true);
    await place.backend.remove("cloned", { force: true });
    await Promise.allSettled([eventsOf(run), run.outcome]);
    expect(existsSync(runFolder(request))).toBe(false);
  });

  it("gets a prompt of five megabytes whole, and nobody sees a word of it in the list of processes", async () => {
    const prompt = `secret words ${"x".repeat(5 * 1024 * 1024)} and the end`;
    // The pattern is no word of itself.
    const seen = "cat /proc/[0-9]*/cmdline 2>/dev/null | grep -ac 'secre[t] words'";
    const command = ["sh", "-c", `tail -c 12; echo; ${seen}`];
    const run = await runAgent(place.request(prompt, { driver: commandDriver({ command }) }));
    expect(await eventsOf(run)).toMatchObject([text(" and the end"), text("0")]);
  });

  it("says by its exit code how a command of the user's ended", async () => {
    const failing = commandDriver({ command: ["sh", "-c", "echo why >&2; exit 3"] });
    const run = await runAgent(place.request("", { driver: failing }));
    expect(await run.outcome).toMatchObject({
      ok: false,
      failure: { type: "unknown", message: expect.stringContaining("status 3: why") },
      exit: { code: 3 },
    });
  });

  it("that cannot be started says so and leaves nothing", async () => {
    const request = place.request("", { driver: commandDriver({ command: ["no-such-agent"] }) });
    await expect(runAgent(request)).rejects.toMatchObject({ code: "cli_missing" });
    expect(existsSync(join(place.folder, `opentiger-run-${request.id}`))).toBe(false);
    expect(existsSync(request.transcript)).toBe(false);
    const aborted = place.request("", { signal: AbortSignal.abort() });
    await expect(runAgent(aborted)).rejects.toThrow();
    expect(await place.sandbox.execs()).not.toContainEqual(
      expect.objectContaining({ id: `run-${aborted.id}` }),
    );
  });

  it("ends with its process, although a grandchild holds its stdout open, and takes that one with it", async () => {
    const script = `setsid sh -c 'echo $$ > grandchild; exec sleep 600' & ${says({ ending: {} })}`;
    const started = Date.now();
    const run = await runAgent(place.request(`${script}\nwhile [ ! -s grandchild ]; do :; done`));
    expect(await run.outcome).toMatchObject({ ok: true });
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(isAlive(Number(readFileSync(join(place.workspace, "grandchild"), "utf8")))).toBe(false);
  });

  it("hides the values it was told to hide, from events and outcome", async () => {
    const secret = "sk-hidden-0123456789";
    const script = [
      says({ ...text(`the key is ${secret}`) }),
      `echo ${secret} >&2`,
      says({
        ending: { lastText: secret, error: { type: null, status: null, message: secret, until: null } },
      }),
    ];
    const run = await runAgent(place.request(script.join("\n"), { redact: [secret] }));
    const all = JSON.stringify([await eventsOf(run), await run.outcome]);
    expect(all).toContain("the key is ****");
    expect(all).not.toContain("hidden");
  });

  it("that crashed says what it died of", async () => {
    const run = await runAgent(place.request("echo out of luck >&2; kill -SEGV $$"));
    expect(await run.outcome).toMatchObject({ failure: { type: "crash" }, exit: { signal: "SIGSEGV" } });
    const cut = await runAgent(place.request("echo out of luck >&2; exit 0"));
    expect(await cut.outcome).toMatchObject({
      failure: { type: "crash", message: expect.stringContaining("before its last word: out of luck") },
    });
  });

  it("has the gateway's figures beside the CLI's, and its word on why it failed", async () => {
    const tokens = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cacheWriteHour: 0 };
    const counted = {
      requests: 2,
      refused: 1,
      tokens,
      usd: 0.5,
      unpriced: 0,
      unpricedModel: null,
      estimated: 0,
    };
    const usage = { ...counted, firstAt: null, lastAt: null };
    const refused = { outcome: "refused", status: null, error: null, until: null } as const;
    const now = new Date(Date.now() + 1000).toISOString();
    const gateway: RunGateway = {
      env: { MODEL_URL: "http://here" },
      requests: async () => [
        { ...refused, at: "2020-01-01T00:00:00.000Z", reason: "auth" },
        { ...refused, at: now, reason: "budget" },
      ],
      usage: async () => usage,
      activity: async () => ({ lastByteAt: null }),
    };
    const run = await runAgent(
      place.request('echo "{\\"type\\":\\"text\\",\\"text\\":\\"$MODEL_URL\\"}"; exit 1', { gateway }),
    );
    expect(await eventsOf(run)).toMatchObject([text("http://here")]);
    expect(await run.outcome).toMatchObject({
      failure: { type: "budget" },
      gateway: usage,
      cli: { usd: null },
    });
  });

  it("has a gateway that does not answer without harm", async () => {
    const broken = async () => Promise.reject(new Error("no gateway"));
    const gateway = { env: {}, requests: broken, usage: broken, activity: broken };
    const run = await runAgent(place.request(says({ ending: {} }), { gateway }));
    expect(await run.outcome).toMatchObject({ ok: true, gateway: null });
  });
});

describe("a flood", () => {
  it("of events waits for a slow reader and loses none of them", async () => {
    const count = 10_000;
    const line = JSON.stringify(text("NUMBER"));
    const script = `seq 1 ${count} | sed 's/.*/${line.replace("NUMBER", "&")}/'; ${says({ ending: {} })}`;
    const run = await runAgent(place.request(script));
    const heard: AgentEvent[] = [];
    for await (const event of run.events) {
      heard.push(event);
      if (heard.length % 1000 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(heard.map((event) => "text" in event && event.text)).toEqual(
      Array.from({ length: count }, (_, index) => String(index + 1)),
    );
    expect(await run.outcome).toMatchObject({ ok: true, events: count });
  });

  it("that nobody reads does not hold up the outcome", async () => {
    const line = JSON.stringify(text("x".repeat(1000)));
    const run = await runAgent(place.request(`yes '${line}' | head -n 20000; ${says({ ending: {} })}`));
    expect(await run.outcome).toMatchObject({ ok: true, events: 20_000 });
    expect((await eventsOf(run)).at(-1)?.seq).toBe(20_000);
  });

  it("of colours and broken characters on stderr is counted, and what matters comes through", async () => {
    const flood = join(place.folder, "flood");
    writeFileSync(
      flood,
      Buffer.concat(
        Array.from({ length: 2000 }, () => Buffer.from([0x1b, 0x5b, 0x33, 0x31, 0x6d, 0xff, 0x0a])),
      ),
    );
    const script = `for i in $(seq 400); do cat ${flood}; done >&2; printf 'a\\377b\\n'; ${says(text("\u001b[31mred"))}; ${says({ ending: {} })}`;
    const request = place.request(script);
    const run = await runAgent(request);
    const events = await eventsOf(run);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "raw", stream: "stdout", line: "a\ufffdb" }),
    );
    expect(events).toContainEqual(expect.objectContaining(text("red")));
    expect(events).toContainEqual(
      expect.objectContaining({ stream: "stderr", line: expect.stringMatching(/\d+ bytes came too fast/) }),
    );
    expect(await run.outcome).toMatchObject({ ok: true });
    expect(statSync(request.transcript).size).toBeLessThan(2 * 1024 * 1024);
  });

  it("in one line of 40 megabytes is kept by its beginning", async () => {
    const run = await runAgent(
      place.request(
        `head -c 40000000 /dev/zero | tr '\\0' x; echo; ${says(text("behind"))}; ${says({ ending: {} })}`,
      ),
    );
    const events = await eventsOf(run);
    expect(events).toMatchObject([
      { type: "raw", line: expect.stringContaining("40000000 bytes") },
      text("behind"),
    ]);
  });
});
