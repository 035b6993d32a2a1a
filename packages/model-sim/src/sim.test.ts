import { afterEach, describe, expect, test } from "vitest";
import { PlainAgent, post } from "./fixture/plain-client.ts";
import { closeAll, started } from "./fixture/started-sim.ts";
import {
  editFile,
  endlessToolLoop,
  finish,
  readFile,
  runCommand,
  say,
  silence,
  think,
  whenPrompt,
  writeFile,
} from "./index.ts";

afterEach(closeAll);

const question = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hello" }] };

describe("a scenario", () => {
  const steps = [
    say("I look."),
    readFile("a.txt"),
    writeFile("b.txt", "new\n"),
    editFile("a.txt", "x", "y"),
    runCommand("npm test"),
    finish("It is done."),
  ];

  test("is played step by step, a tool call for each reply", async () => {
    const sim = await started({ scenario: { steps } });
    const agent = new PlainAgent(sim.url, "one");
    expect(await agent.turn("do it")).toBe("It is done.");
    expect(agent.calls).toEqual([
      { name: "Read", input: { file_path: "/project/a.txt" } },
      { name: "Write", input: { file_path: "/project/b.txt", content: "new\n" } },
      { name: "Edit", input: { file_path: "/project/a.txt", old_string: "x", new_string: "y" } },
      { name: "Bash", input: { command: "npm test", description: "Run a command" } },
    ]);
    expect(sim.problems).toEqual([]);
  });

  test("gives the same reply to the same request, however often it is sent", async () => {
    const sim = await started({ scenario: { steps } });
    const agent = new PlainAgent(sim.url, "one");
    agent.messages.push({ role: "user", content: "do it" });
    const first = await agent.request();
    expect(await agent.request()).toEqual(first);
    expect(sim.sessions()).toMatchObject([{ requests: 2, prefixKept: true, problems: [] }]);
  });

  test("goes on after a finish with the next prompt, and says when it is over", async () => {
    const sim = await started({ scenario: { steps: [finish("One."), runCommand("true"), finish("Two.")] } });
    const agent = new PlainAgent(sim.url, "one");
    expect(await agent.turn("first")).toBe("One.");
    expect(await agent.turn("second")).toBe("Two.");
    expect(await agent.turn("third")).toBe("The scenario is over.");
    expect(sim.problems).toEqual(["the model was asked after the end of its scenario"]);
  });

  test("is found again in a conversation that another simulation began", async () => {
    const first = await started({ scenario: { steps } });
    const agent = new PlainAgent(first.url, "one");
    await agent.turn("do it");
    const second = await started({ scenario: { steps: [...steps, say("And more.")] } });
    const resumed = new PlainAgent(second.url, "one");
    resumed.messages.push(...agent.messages);
    expect(await resumed.turn("go on")).toBe("And more.");
  });

  test("reads a file before it writes over it, where the tool asks for that", async () => {
    const sim = await started({ scenario: { steps: [writeFile("a.txt", "new\n")] } });
    let isRead = false;
    const agent = new PlainAgent(sim.url, "one", (name) => {
      isRead ||= name === "Read";
      return name === "Write" && !isRead ? { text: "read it first", error: true } : { text: "ok" };
    });
    await agent.turn("do it");
    expect(agent.calls.map(({ name }) => name)).toEqual(["Write", "Read", "Write"]);
  });

  test("may run the same command again and again", async () => {
    const sim = await started({ scenario: { steps: [endlessToolLoop("ls", 5), say("Enough.")] } });
    const agent = new PlainAgent(sim.url, "one");
    expect(await agent.turn("do it")).toBe("Enough.");
    expect(agent.calls.map(({ input }) => input["command"])).toEqual(Array(5).fill("ls"));
  });
});

describe("sessions", () => {
  test("have the scenario that their first prompt asks for", async () => {
    const sim = await started({
      scenarioFor: [
        whenPrompt("You are the planner", { steps: [say("A plan.")] }),
        whenPrompt(/judge/, { steps: [say("A judgement.")] }),
      ],
      scenario: { steps: [say("Work.")] },
    });
    const said = ["You are the planner.", "You judge.", "Do it."].map((prompt, index) =>
      new PlainAgent(sim.url, String(index)).turn(prompt),
    );
    expect(await Promise.all(said)).toEqual(["A plan.", "A judgement.", "Work."]);
  });

  test("know nothing of one another, however many there are at once", async () => {
    const sim = await started({
      scenarioFor: ({ prompt }) => ({
        steps: [runCommand(`echo ${prompt}`), think(5), say(`I did ${prompt}.`)],
      }),
    });
    const agents = Array.from({ length: 40 }, (_, index) => new PlainAgent(sim.url, `session ${index}`));
    const said = await Promise.all(agents.map((agent, index) => agent.turn(`task ${index}`)));
    expect(said).toEqual(agents.map((_, index) => `I did task ${index}.`));
    expect(agents.every((agent, index) => agent.calls[0]?.input["command"] === `echo task ${index}`)).toBe(
      true,
    );
    expect(sim.sessions()).toHaveLength(40);
    expect(sim.problems).toEqual([]);
  });

  test("tell whether a resumed conversation is what it was", async () => {
    const sim = await started({ scenario: { steps: [runCommand("true"), finish("One."), finish("Two.")] } });
    const agent = new PlainAgent(sim.url, "one");
    await agent.turn("first");
    expect(sim.sessions()).toMatchObject([{ prefixKept: true, prompts: ["first"] }]);
    agent.messages[0] = { role: "user", content: "something else" };
    await agent.turn("second");
    expect(sim.sessions()).toMatchObject([{ prefixKept: false, prompts: ["something else", "second"] }]);
    expect(sim.problems[0]).toContain("the conversation was changed");
  });

  test("count what the usage fields said", async () => {
    const sim = await started({ scenario: { steps: [runCommand("true"), say("Done.")] } });
    await new PlainAgent(sim.url, "one").turn("do it");
    const [first, second] = sim.requests.map(({ tokens }) => tokens);
    expect(first).toEqual({ input: 100, output: 12, cacheRead: 0, cacheWrite: 1000 });
    expect(second).toEqual({ input: 100, output: 2, cacheRead: 1100, cacheWrite: 100 });
    expect(sim.sent.main).toEqual({ input: 200, output: 14, cacheRead: 1100, cacheWrite: 1100 });
    expect(sim.sessions()[0]?.sent).toEqual(sim.sent);
  });

  test("cost what the scenario says, where it says so", async () => {
    const tokens = { input: 7, output: 5, cacheRead: 3, cacheWrite: 1 };
    const sim = await started({ scenario: { steps: [runCommand("true"), say("Done.")], tokens } });
    await new PlainAgent(sim.url, "one").turn("do it");
    expect(sim.sent.main).toEqual({ input: 14, output: 10, cacheRead: 6, cacheWrite: 2 });
  });
});

describe("what it is sent", () => {
  test("is recorded", async () => {
    const sim = await started({ scenario: { steps: [runCommand("true")] } });
    await new PlainAgent(sim.url, "one", () => ({ text: "no such file", error: true })).turn("do it");
    expect(sim.requests).toMatchObject([
      { number: 1, api: "anthropic", session: "one", auth: "key", model: "claude-sonnet-5", toolResults: [] },
      {
        number: 2,
        tools: ["Bash", "Read", "Write", "Edit"],
        toolResults: [{ text: "no such file", error: true }],
      },
    ]);
    expect(sim.requests[0]?.body).toContain("do it");
  });

  test("may be a prompt of five megabytes", async () => {
    const sim = await started({ scenario: { steps: [say("Hello.")] } });
    const prompt = "a long story ".repeat(400_000).trim();
    await new PlainAgent(sim.url, "one").turn(prompt);
    expect(sim.sessions()[0]?.prompts).toEqual([prompt]);
    expect(sim.requests[0]?.bodyBytes).toBe(sim.requests[0]?.body.length);
  });

  test("is refused without one of the credentials that were agreed on", async () => {
    const sim = await started({ scenario: { steps: [say("Hello.")] }, credentials: ["right"] });
    const statuses = [
      { authorization: "Bearer right" },
      { "x-api-key": "right" },
      { "x-api-key": "wrong" },
      {},
    ].map(async (headers) => (await post(sim.url, "/v1/messages", question, { ...headers })).status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 401, 401]);
    expect((await fetch(`${sim.url}/v1/models`)).status).toBe(401);
    expect(sim.problems).toContain("there was no credential");
  });

  test("is refused for a model that is not there", async () => {
    const sim = await started({ models: ["one"] });
    const of = async (model: string) => (await post(sim.url, "/v1/messages", { ...question, model })).status;
    expect([await of("one"), await of("two")]).toEqual([200, 404]);
  });

  test("may be something else altogether", async () => {
    const sim = await started({});
    const statuses = [
      await fetch(sim.url, { method: "HEAD" }),
      await fetch(`${sim.url}/v1/files`),
      await fetch(`${sim.url}/v1/messages`, { method: "POST", body: "{" }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 404, 400]);
  });

  test("is cut off when the simulation closes", async () => {
    const sim = await started({ scenario: { steps: [silence()] } });
    const asked = post(sim.url, "/v1/messages", question);
    const refused = expect(asked).rejects.toThrow();
    await expect.poll(() => sim.requests.length).toBe(1);
    await sim.close();
    await refused;
  });
});
