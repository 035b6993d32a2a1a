import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { finish, type ModelSim, runCommand, startModelSim } from "@opentiger/model-sim";
import { beforeAll, describe, expect, it } from "vitest";
import { type AgentPlace, placeNames, testedAgents } from "../../setup/agent-place.ts";
import { type AgentWorld, agentWorld } from "../../setup/agent-world.ts";
import { atEnd } from "../../setup/at-end.ts";
import { bundledProgram } from "../../setup/bundled-program.ts";
import { covering } from "../../setup/covering.ts";
import { soak } from "../../setup/soak.ts";
import { temporaryFolder } from "../../setup/temporary-workspace.ts";
import { type FloodAsked, type FloodRead, floodRead } from "./flood-report.ts";

const program = await bundledProgram(new URL("./flood-reader.ts", import.meta.url));
const run = promisify(execFile);

/** Numbered lines of a kilobyte, with colours, titles and bytes that are no UTF-8. */
const lines = 100_000;
const flood = (count: number) => `
  const rest = Buffer.concat([
    Buffer.from(" \\x1b[31m\\x1b]0;title\\x07"), Buffer.alloc(900, "x"), Buffer.from([0xff, 0xfe, 0xc3]),
    Buffer.from("\\x1b[0m".repeat(20) + "\\n"),
  ]);
  let number = 0;
  const write = () => {
    while (number < ${count}) {
      number += 1;
      if (!process.stdout.write(Buffer.concat([Buffer.from(String(number)), rest]))) return;
    }
  };
  process.stdout.on("drain", write);
  write();`;

/** For eighty megabytes more, which are more than twice of that as events; it is what garbage collection leaves for later. */
const mostMegabytes = 60;

let sim: ModelSim;
let world: AgentWorld;

beforeAll(async () => {
  sim = await startModelSim({
    scenario: {
      steps: [
        runCommand("cat /tmp/opentiger-run-*/task.md | wc -c"),
        runCommand("node noise.cjs"),
        finish("That was loud."),
      ],
    },
  });
  atEnd(() => sim.close());
  world = await agentWorld(sim.url);
});

const sentence = "is heard line by line, and what follows it takes no more memory than for some of them";

describe("a CLI that prints a hundred thousand lines of noise", () => {
  it.each(covering([sentence], placeNames, ["docker"]))("%s: %s", async (_, where) => {
    const place = await world.place("codex", where);
    const [few, many] = await readFloods(place, [flood(lines / 5), flood(lines)]);
    expect(few).toMatchObject({ ok: true, texts: lines / 5, whole: true });
    expect(many).toMatchObject({ ok: true, texts: lines, events: lines, whole: true });
    expect(many?.last).toBe(`${lines} ${"x".repeat(900)}${"\ufffd".repeat(3)}`);
    expect((many?.peak ?? 0) - (few?.peak ?? 0)).toBeLessThan(mostMegabytes);
  });
});

/** What OpenCode does with a long prompt is what Claude Code does. */
const readers = soak ? testedAgents : (["claude_code", "codex"] as const);

describe.each(readers)(
  "%s with a prompt of five megabytes and a command that makes twenty of noise",
  (agent) => {
    it("has a model that can read all of the one, and events with a plain and bounded part of the other", async () => {
      const place = await world.place(agent, "docker");
      const cwd = place.project("noise", { "noise.cjs": flood(lines / 5) });
      const prompt = `Please read much. ${"word ".repeat(1_000_000)}`;
      const { outcome, events } = await place.run(cwd, { prompt });
      expect(outcome).toMatchObject({ ok: true, lastText: "That was loud." });
      const [asked] = sim.requests.filter(({ session }) => session === outcome.session);
      const [counted, noise] = events.flatMap((event) => (event.type === "tool_result" ? [event] : []));
      // Codex takes no prompt of this size; it is told of a file.
      if (agent === "codex") expect(counted?.output.trim()).toBe(String(prompt.length));
      else expect(asked?.body.includes(prompt)).toBe(true);
      expect(noise).toMatchObject({ ok: true, exitCode: 0 });
      expect(noise?.output.length).toBeGreaterThan(900);
      for (const text of events.map((event) => JSON.stringify(event))) {
        expect(text.length).toBeLessThan(200_000);
        expect(text).not.toMatch(/\\u001b|\\u0007/);
      }
    });
  },
);

/** What a process of its own read of these, one after the other. */
async function readFloods(place: AgentPlace, scripts: string[]): Promise<FloodRead[]> {
  const about: FloodAsked = {
    backend: place.name,
    sandbox: place.sandbox.name,
    cwd: place.project("flood"),
    folder: temporaryFolder(),
    scripts,
  };
  const { stdout } = await run(process.execPath, [program, JSON.stringify(about)], {
    env: world.env,
  });
  return stdout
    .trim()
    .split("\n")
    .map((line) => floodRead.parse(JSON.parse(line)));
}
