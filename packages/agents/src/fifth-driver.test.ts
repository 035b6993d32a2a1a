import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { collect } from "@opentiger/sandbox";
import type { AgentSaying } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { askForAnswer } from "./answers/ask-for-answer.ts";
import type { AgentDriver, AgentEnding, AgentReader } from "./driver.ts";
import { eventsOf, type HostPlace, newHostPlace } from "./run/fixture/host-place.ts";
import { runAgent } from "./run/run-agent.ts";

/** A CLI that repeats what it is told, one word a turn, and remembers it. Asked for an answer it first gives a wrong one. */
const cli = `
read -r words
echo "hello $2 $3"
for word in $words; do echo "word $word"; echo "$word" >> "$1"; done
echo "said" > said.txt
echo "file said.txt"
[ -n "$ANSWER" ] && echo "answer {\\"words\\": $([ $(wc -l < "$1") -gt 3 ] && wc -l < "$1" || echo '"many"')}"
echo "bye"
`;

/**
 * A fifth agent. This is all that it takes: how it is started, how its lines are read, how its conversation is carried
 * elsewhere. Nothing else in the package knows of it.
 */
const parrot: AgentDriver = {
  name: "parrot",
  title: "Parrot",
  template: "shell",
  abilities: { answers: "own", resume: true, maxTurns: true },
  launch: ({ prompt, session, model = "grey", answer }, { folder, home }) => ({
    command: ["sh", `${folder}/parrot.sh`, `${home}/parrot-${session.id}`, session.id, model],
    env: { ANSWER: answer ? "wanted" : "" },
    files: [{ path: "parrot.sh", content: cli }],
    stdin: `${prompt.replaceAll(/\s+/g, " ")}\n`,
  }),
  reader: ({ session }) => new ParrotReader(session.kind === "resumed"),
  session: {
    save: async (sandbox, { home }, id) => {
      const { exit, stdout } = await collect(await sandbox.exec(["cat", `${home}/parrot-${id}`]));
      return exit.code === 0 ? stdout : undefined;
    },
    restore: async (sandbox, { home }, id, kept) => {
      const execution = await sandbox.exec(["tee", `${home}/parrot-${id}`], { stdin: true });
      execution.stdin.end(kept);
      await collect(execution);
    },
  },
};

class ParrotReader implements AgentReader {
  readonly #resumed: boolean;
  #ending: AgentEnding = {
    complete: false,
    session: null,
    error: null,
    answer: undefined,
    lastText: null,
    denials: [],
    tokens: null,
    usd: null,
    turns: 0,
  };

  constructor(resumed: boolean) {
    this.#resumed = resumed;
  }

  line(line: string): AgentSaying[] {
    const [verb, ...rest] = line.split(" ");
    const text = rest.join(" ");
    switch (verb) {
      case "hello": {
        const [session = "", model = ""] = rest;
        this.#ending = { ...this.#ending, session };
        return [{ type: "started", session, model, resumed: this.#resumed }];
      }
      case "word":
        this.#ending = { ...this.#ending, lastText: text, turns: (this.#ending.turns ?? 0) + 1 };
        return [{ type: "text", text }];
      case "file":
        return [{ type: "file_change", path: text, change: "unknown" }];
      case "answer":
        this.#ending = { ...this.#ending, answer: JSON.parse(text) };
        return [];
      case "bye":
        this.#ending = { ...this.#ending, complete: true };
        return [{ type: "finished", ok: true, message: "" }];
      default:
        return [{ type: "raw", stream: "stdout", line }];
    }
  }

  ending(): AgentEnding {
    return this.#ending;
  }
}

let place: HostPlace;

beforeAll(async () => {
  place = await newHostPlace();
});

afterAll(() => place.remove());

describe("a fifth agent, of which only its driver is new", () => {
  it("is started, heard and judged like the others", async () => {
    const run = await runAgent(place.request("good morning", { driver: parrot, task: { model: "green" } }));
    const events = await eventsOf(run);
    expect(events).toMatchObject([
      { type: "started", model: "green" },
      { type: "text", text: "good" },
      { type: "text", text: "morning" },
      { type: "file_change", path: "said.txt" },
      { type: "finished", ok: true },
    ]);
    expect(await run.outcome).toMatchObject({ ok: true, lastText: "morning", turns: 2 });
    expect(readFileSync(join(place.workspace, "said.txt"), "utf8")).toBe("said\n");
  });

  it("goes on with a conversation that its place has lost", async () => {
    const sessions = join(place.folder, "sessions");
    const first = await (await runAgent(place.request("one two", { driver: parrot, sessions }))).outcome;
    const { session } = first;
    if (session === null) throw new Error("the parrot tells its session");
    const file = join(place.folder, `parrot-${session}`);
    rmSync(file);
    const request = place.request("three", {
      driver: parrot,
      sessions,
      task: { session: { kind: "resumed", id: session } },
    });
    expect(await (await runAgent(request)).outcome).toMatchObject({
      ok: true,
      resumed: { asked: true, done: true },
    });
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\nthree\n");
  });

  it("answers in the form that was asked for, when it is sent back what was wrong", async () => {
    const heard: string[] = [];
    const asked = await askForAnswer(
      place.request("how many", { driver: parrot }),
      z.object({ words: z.number().int() }),
      { onRun: (run) => heard.push(run.id) },
    );
    expect(asked).toMatchObject({
      ok: true,
      outcomes: [
        { ok: false, failure: { type: "malformed" } },
        { ok: true, resumed: { asked: true, done: true } },
      ],
    });
    // It counts what it was told: the two words, and then what was wrong with its first answer.
    expect(asked.ok && asked.answer.words).toBeGreaterThan(20);
    expect(heard).toHaveLength(2);
  });

  it("is malformed, and no success, where it never gets it right", async () => {
    const asked = await askForAnswer(
      place.request("how many", { driver: parrot }),
      z.object({ letters: z.string() }),
      {
        tries: 2,
      },
    );
    expect(asked).toMatchObject({
      ok: false,
      failure: { type: "malformed", message: expect.stringContaining("letters") },
      outcomes: [{ ok: false }, { ok: false }],
    });
  });
});
