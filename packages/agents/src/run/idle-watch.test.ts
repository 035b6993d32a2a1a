import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { IdleWatch } from "./idle-watch.ts";

const hourMs = 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ["forward, as after a sleep of the machine", hourMs],
  ["back", -hourMs],
])("a run is idle after as long a silence as ever where the clock is put %s", async (_, jumpMs) => {
  const idle = vi.fn();
  const looked: number[] = [];
  const look = async (since: number): Promise<boolean> => looked.push(Date.now() - since) === 0;
  const watch = new IdleWatch(1_000, look, idle);
  await vi.advanceTimersByTimeAsync(900);
  watch.touch();
  vi.setSystemTime(Date.now() + jumpMs);
  await vi.advanceTimersByTimeAsync(900);
  expect(idle).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(idle).toHaveBeenCalledOnce();
  expect(looked).toEqual([1_000]);
});
