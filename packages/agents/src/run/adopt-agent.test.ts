import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentEvent } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../../tests/setup/bundled-program.ts";
import { until } from "../../../../tests/setup/until.ts";
import { adoptAgent } from "./adopt-agent.ts";
import { eventsOf, type HostPlace, newHostPlace, says } from "./fixture/host-place.ts";
import { isAlive } from "./fixture/is-alive.ts";
import { scriptDriver } from "./fixture/script-driver.ts";
import { runAgent } from "./run-agent.ts";

let program: string;
let place: HostPlace;

beforeAll(async () => {
  program = await bundledProgram(new URL("./fixture/followed-run.ts", import.meta.url));
  place = await newHostPlace();
});

afterAll(() => place.remove());

describe("a run whose process is killed with SIGKILL, again and again", () => {
  it("is taken over where it was: every event is heard once, with the number it would have had", async () => {
    const count = 4_000;
    const id = randomUUID();
    const heard = join(place.folder, `${id}.heard`);
    writeFileSync(heard, "");
    // Some lines come in two pieces, some on stderr. Each thousand waits for a process that follows the run, and then
    // comes slowly enough to be killed in the middle of, above all its second half.
    const script = `i=0; while [ $i -lt ${count} ]; do
      [ $((i % 1000)) -eq 0 ] && until [ -e ${heard}.gate-$((i / 1000)) ]; do sleep 0.05; done
      i=$((i + 1))
      printf '{"type":"text","text":"%s"}\\n' $i
      [ $((i % 50)) -eq 0 ] && {
        echo "warning $i" >&2; printf '{"type":"te'
        [ $((i % 1000)) -gt 500 ] && sleep 0.15 || sleep 0.05; printf 'xt","text":"after %s"}\\n' $i
      }
    done
    ${says({ ending: { lastText: "all" } })}`;
    const about = { id, heard, script, ...paths(id) };
    for (const [turn, enough] of [500, 1_500, 2_500].entries()) {
      const after = linesOf(heard).length;
      const child = start({ ...about, gate: `${heard}.gate-${turn}`, ...(turn === 0 ? {} : { after }) });
      await until("it has heard its share", () => linesOf(heard).length >= enough || child.exitCode !== null);
      expect(child.kill("SIGKILL")).toBe(true);
      await once(child, "exit");
      expect(linesOf(heard).length).toBeLessThan(enough + 500);
      writeFileSync(
        heard,
        linesOf(heard)
          .map((line) => `${line}\n`)
          .join(""),
      );
    }
    const last = start({ ...about, gate: `${heard}.gate-3`, after: linesOf(heard).length });
    await once(last, "exit");
    const lines = linesOf(heard).map((line): unknown => JSON.parse(line));
    expect(lines.pop()).toMatchObject({
      outcome: { ok: true, lastText: "all", events: count + (count / 50) * 2 },
    });
    const events = lines.map((line) => agentEvent.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const said = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(said.filter((text) => !text.startsWith("after"))).toEqual(
      Array.from({ length: count }, (_, index) => String(index + 1)),
    );
    expect(said.filter((text) => text.startsWith("after"))).toHaveLength(count / 50);
    expect(events.filter((event) => event.type === "raw" && event.line.startsWith("warning"))).toHaveLength(
      count / 50,
    );
  });
});

describe("a run whose session is lost", () => {
  const script = [
    says({ type: "text", text: "before" }),
    "until [ -e go-on ]; do sleep 0.05; done",
    says({ type: "text", text: "after" }),
    says({ ending: {} }),
  ].join("\n");

  it("goes on in a new one, where it stopped", async () => {
    const sandbox = await place.backend.open("one");
    let opened = 0;
    const reopen = async () => {
      opened += 1;
      if (opened === 1) throw new Error("not yet");
      writeFileSync(join(place.workspace, "go-on"), "");
      return place.backend.open("one");
    };
    const run = await runAgent({ ...place.request(script), sandbox, reopen });
    const texts: string[] = [];
    for await (const event of run.events) {
      if (event.type === "text") texts.push(event.text);
      if (texts.length === 1) await sandbox.close();
    }
    expect(texts).toEqual(["before", "after"]);
    expect(await run.outcome).toMatchObject({ ok: true, events: 2 });
    expect(opened).toBe(2);
    rmSync(join(place.workspace, "go-on"));
  });

  it("whose sandbox was removed is over at the first look, says so, and saves nothing from there", async () => {
    const sandbox = await place.backend.open("one");
    const done: string[] = [];
    const reopen = () => {
      done.push("looked");
      return place.backend.open("removed");
    };
    const save = async () => {
      done.push("saved");
      return undefined;
    };
    const driver = { ...scriptDriver, session: { save, restore: async () => {} } };
    const begun = says({ type: "started", session: "s-1", model: null, resumed: false });
    const request = place.request(`${begun}\n${script}`, {
      driver,
      sessions: join(place.folder, "sessions"),
    });
    const run = await runAgent({ ...request, sandbox, reopen });
    for await (const event of run.events) if (event.type === "text") await sandbox.close();
    expect(await run.outcome).toMatchObject({ failure: { type: "removed" }, exit: null, session: "s-1" });
    expect(done).toEqual(["looked"]);
  });

  it("is lost where nobody opens a new one, and can be taken over", async () => {
    const sandbox = await place.backend.open("one");
    const request = place.request(script);
    const run = await runAgent({ ...request, sandbox });
    for await (const event of run.events) if (event.type === "text") await sandbox.close();
    expect(await run.outcome).toMatchObject({ failure: { type: "lost" }, exit: null });
    const taken = await adoptAgent({ ...request, after: 1 });
    writeFileSync(join(place.workspace, "go-on"), "");
    expect(await eventsOf(taken)).toMatchObject([{ text: "after", seq: 2 }]);
    expect(await taken.outcome).toMatchObject({ ok: true });
  });
});

describe("a run that is taken over", () => {
  it("after its end has the same outcome, without a sandbox to ask", async () => {
    const request = place.request(
      `${says({ type: "text", text: "x" })}\n${says({ ending: { lastText: "x" } })}`,
    );
    const first = await runAgent(request);
    const events = await eventsOf(first);
    const outcome = await first.outcome;
    const again = await adoptAgent(request);
    expect(await eventsOf(again)).toEqual(events);
    expect(await again.outcome).toEqual(outcome);
  });

  it("can be cancelled at once, before all of it was heard again", async () => {
    const request = place.request(`${says({ type: "text", text: "x" })}\nsleep 600`);
    const first = await runAgent(request);
    for await (const event of first.events) if (event.type === "text") break;
    const taken = await adoptAgent(request);
    await taken.cancel("after all");
    expect(await taken.outcome).toMatchObject({ failure: { type: "cancelled" }, exit: { reason: "killed" } });
    // Two that follow one run would each tell half of it.
    await expect(first.outcome).rejects.toThrow("another process reads the exec");
  });

  it("of which a part is missing is ended and lost: it does not go on unheard", async () => {
    const request = place.request(`echo $$ > pid; ${says({ type: "text", text: "x" })}\nsleep 600`);
    const first = await runAgent(request);
    for await (const event of first.events) if (event.type === "text") break;
    // Whoever reads on from a byte needs nothing before it: the sandbox no longer has what is missing here.
    const said = Buffer.byteLength(`${JSON.stringify({ type: "text", text: "x" })}\n`);
    (await place.sandbox.attach(first.execId, { stdout: said })).detach();
    const [run = ""] = readFileSync(request.transcript, "latin1").split("\n");
    writeFileSync(request.transcript, `${run}\n{"kind":"full"}\n`);
    const taken = await adoptAgent(request);
    expect(await taken.outcome).toMatchObject({ failure: { type: "lost" }, events: 0 });
    expect(isAlive(Number(readFileSync(join(place.workspace, "pid"), "utf8")))).toBe(false);
  });

  it("by a sandbox that does not know it any more is lost, with what was heard", async () => {
    const request = place.request(
      `${says({ type: "started", session: "s-9", model: null, resumed: false })}\nsleep 600`,
    );
    const first = await runAgent(request);
    for await (const event of first.events) if (event.type === "started") break;
    await place.backend.stop("one");
    await expect(first.outcome).resolves.toMatchObject({
      failure: { type: "lost" },
      session: "s-9",
      exit: null,
    });
    const sandbox = await place.backend.open("one");
    const taken = await adoptAgent({ ...request, sandbox });
    expect(await eventsOf(taken)).toMatchObject([{ type: "started", session: "s-9" }]);
    expect(await taken.outcome).toMatchObject({ failure: { type: "lost" }, session: "s-9" });
    await sandbox.close();
  });

  it("is the one whose transcript it is", async () => {
    const request = place.request(says({ ending: {} }));
    await expect(adoptAgent(request)).rejects.toThrow("ENOENT");
    writeFileSync(request.transcript, "something else\n");
    await expect(adoptAgent(request)).rejects.toMatchObject({ code: "usage" });
  });
});

function paths(id: string) {
  const { folder, workspace } = place;
  return { folder, workspace, state: join(folder, "state"), transcript: join(folder, `${id}.transcript`) };
}

function start(about: Readonly<Record<string, unknown>>): ChildProcess {
  return spawn(process.execPath, [program, JSON.stringify(about)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/** Those with an end: the one that was being written when the process was killed was not heard. */
function linesOf(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").slice(0, -1);
}
