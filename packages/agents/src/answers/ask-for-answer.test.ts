import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { AgentDriver } from "../driver.ts";
import { type HostPlace, newHostPlace, says } from "../run/fixture/host-place.ts";
import { scriptDriver } from "../run/fixture/script-driver.ts";
import type { AgentRun } from "../run/request.ts";
import { askForAnswer } from "./ask-for-answer.ts";

const schema = z.strictObject({ count: z.number() });

let place: HostPlace;

beforeAll(async () => {
  place = await newHostPlace();
});

afterAll(() => place.remove());

/** An agent whose tries do one after the other what these scripts say. */
function tries(name: string, scripts: readonly string[]): AgentDriver {
  return {
    ...scriptDriver,
    launch: (task, at) => {
      const cases = scripts.map((script, index) => `${index + 1}) ${script} ;;`).join("\n");
      const prompt = `echo x >> ${name}.tries; case $(wc -l < ${name}.tries) in\n${cases}\nesac`;
      return scriptDriver.launch({ ...task, prompt }, at);
    },
  };
}

const wrong = `${says({ type: "text", text: "wrong" })}\n${says({ ending: { answer: { count: "many" } } })}`;
const right = (name: string) =>
  `${says({ type: "text", text: "waiting" })}
   until [ -e ${name}.go ]; do sleep 0.02; done
   ${says({ type: "text", text: "right" })}
   ${says({ ending: { answer: { count: 7 } } })}`;

function triesOf(name: string): number {
  return readFileSync(join(place.workspace, `${name}.tries`), "utf8").split("\n").length - 1;
}

describe("a question that is asked again after a crash", () => {
  it("goes on with the try that was under way: none is made twice, and no event is told twice", async () => {
    const request = { ...place.request(""), driver: tries("asked", [wrong, right("asked")]) };
    const letting = new AbortController();
    const heard = new Map<string, AgentEvent[]>();
    const listen = (run: AgentRun) => {
      void (async () => {
        for await (const event of run.events) {
          heard.set(run.id, [...(heard.get(run.id) ?? []), event]);
          if (event.type === "text" && event.text === "waiting") letting.abort();
        }
      })();
    };
    const options = { onRun: listen, heardOf: (id: string) => heard.get(id)?.length ?? 0 };
    await expect(askForAnswer({ ...request, letGo: letting.signal }, schema, options)).rejects.toMatchObject({
      code: "session_lost",
    });
    expect(triesOf("asked")).toBe(2);
    writeFileSync(join(place.workspace, "asked.go"), "");
    const asked = await askForAnswer(request, schema, options);
    expect(asked).toMatchObject({ ok: true, answer: { count: 7 } });
    expect(asked.outcomes).toHaveLength(2);
    expect(triesOf("asked")).toBe(2);
    const texts = [...heard.values()].map((events) =>
      events.flatMap((event) => (event.type === "text" ? [event.text] : [])),
    );
    expect(texts).toEqual([["wrong"], ["waiting", "right"]]);
  });

  it("after its end gives the same answer, without another try", async () => {
    const request = { ...place.request(""), driver: tries("known", [wrong, right("known")]) };
    writeFileSync(join(place.workspace, "known.go"), "");
    const first = await askForAnswer(request, schema);
    const second = await askForAnswer(request, schema);
    expect(second).toEqual(first);
    expect(triesOf("known")).toBe(2);
  });
});
