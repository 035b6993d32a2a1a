import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { anySignal } from "./any-signal.ts";

it("a timeout comes also where nobody holds it but the signal that was made of it", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void; // V8's own, by that flag.
  const signal = withTimeout();
  const aborted = once(signal, "abort");
  for (let turn = 0; turn < 5; turn += 1) {
    await nextTurn();
    collectGarbage();
  }
  await aborted;
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});

/** By itself, so that no variable of a test holds what it is made of. */
function withTimeout(): AbortSignal {
  return anySignal([new AbortController().signal, AbortSignal.timeout(1_000)]);
}

it("the first of them says why, and one that has ended already is one", () => {
  const stop = new AbortController();
  const signal = anySignal([stop.signal, AbortSignal.timeout(60_000)]);
  expect(signal.aborted).toBe(false);
  stop.abort("enough");
  expect(signal.reason).toBe("enough");
  expect(anySignal([stop.signal]).aborted).toBe(true);
});
