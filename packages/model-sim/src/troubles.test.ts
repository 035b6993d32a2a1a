import { afterEach, expect, test } from "vitest";
import { post } from "./fixture/plain-client.ts";
import { closeAll, started } from "./fixture/started-sim.ts";
import {
  contextTooLong,
  cutStream,
  garbage,
  overloaded,
  pause,
  rateLimit,
  refusal,
  type Step,
  say,
  serverError,
  silence,
  think,
  unauthorized,
} from "./index.ts";

afterEach(closeAll);

const question = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hello" }] };

const statuses: readonly (readonly [string, Step, number])[] = [
  ["a rate limit", rateLimit({ resetSeconds: 90, times: 2 }), 429],
  ["a wrong key", unauthorized(2), 401],
  ["a broken server", serverError(2), 500],
  ["too many others", overloaded(2), 529],
  ["a context that is too long", contextTooLong(2), 400],
];

test.each(statuses)(
  "%s comes as often as it should, and then the scenario goes on",
  async (_, step, status) => {
    const sim = await started({ scenario: { steps: [step, say("Done.")] } });
    const seen = [];
    for (let tries = 0; tries < 3; tries += 1)
      seen.push((await post(sim.url, "/v1/messages", question)).status);
    expect(seen).toEqual([status, status, 200]);
    expect(sim.requests.map(({ step: at }) => at)).toEqual([0, 0, 2]);
  },
);

test("a trouble that lasts forever does", async () => {
  const sim = await started({ scenario: { steps: [serverError("forever"), say("Never.")] } });
  const answers = await Promise.all(Array.from({ length: 9 }, () => post(sim.url, "/v1/messages", question)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]));
});

test("a stream is cut in the middle of what it says, and counted apart", async () => {
  const sim = await started({ scenario: { steps: [say("Hello there."), cutStream()] } });
  const response = await fetch(`${sim.url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({ ...question, stream: true }),
  });
  let text = "";
  const reading = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  };
  await expect(reading()).rejects.toThrow();
  expect(text).toContain("Hello ");
  expect(text).not.toContain("there.");
  expect(sim.sent).toMatchObject({ main: { input: 0 }, cut: { input: 100, output: 1 } });
  expect((await post(sim.url, "/v1/messages", question)).status).toBe(200);
});

test("garbage is neither JSON nor events", async () => {
  const sim = await started({ scenario: { steps: [garbage(2), say("Done.")] } });
  const whole = await post(sim.url, "/v1/messages", question);
  expect(() => JSON.parse(whole.text)).toThrow();
  const { events } = await post(sim.url, "/v1/messages", { ...question, stream: true });
  expect(events.map(({ type }) => type)).toEqual(["message_start", "ping"]);
});

test("silence holds a request, and ends with the client", async () => {
  const sim = await started({ scenario: { steps: [silence(), say("Done.")] } });
  const leaving = new AbortController();
  const asked = fetch(`${sim.url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify(question),
    signal: leaving.signal,
  });
  await expect.poll(() => sim.requests.length).toBe(1);
  leaving.abort();
  await expect(asked).rejects.toThrow();
  expect(sim.requests[0]).toMatchObject({ status: 0, complete: false });
  expect((await post(sim.url, "/v1/messages", question)).text).toContain("Done.");
});

test("a reply may take its time", async () => {
  const sim = await started({ scenario: { steps: [silence(30), think(30), pause(30), say("Done.")] } });
  const begin = performance.now();
  await post(sim.url, "/v1/messages", question);
  expect(performance.now() - begin).toBeGreaterThan(85);
});

test("a refusal is in the API's own form", async () => {
  const sim = await started({ scenario: { steps: [refusal("No.")] } });
  expect(JSON.parse((await post(sim.url, "/v1/messages", question)).text)).toMatchObject({
    stop_reason: "refusal",
    content: [{ type: "text", text: "No." }],
  });
});
