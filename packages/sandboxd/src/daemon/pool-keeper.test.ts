import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PoolKeeper } from "./pool-keeper.ts";

const floor = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A pool of one engine that only counts how often it was looked after. */
function pool({ size = 2, free = 10 * floor, keep = async (_signal?: AbortSignal) => 1 } = {}) {
  const asked: string[] = [];
  const at = (engine: string) => ({
    poolSize: () => size,
    freeBytes: async () => free,
    keepPool: (signal?: AbortSignal) => {
      asked.push(engine);
      return keep(signal);
    },
  });
  const said: string[] = [];
  return { keeper: new PoolKeeper(at, floor, (_level, message) => void said.push(message)), asked, said };
}

test("sandboxes that are attached together are looked at once, for each engine", async () => {
  const { keeper, asked } = pool();
  for (const engine of ["one", "one", "other"]) keeper.look(engine);
  await vi.runAllTimersAsync();
  expect(asked).toEqual(["one", "other"]);
  keeper.look("one");
  await vi.runAllTimersAsync();
  expect(asked).toEqual(["one", "other", "one"]);
});

test.each([
  ["a pool that is off", { size: 0 }],
  ["a disk that is nearly full", { free: 2 * floor }],
])("%s is not filled", async (_what, state) => {
  const { keeper, asked } = pool(state);
  keeper.look("one");
  await vi.runAllTimersAsync();
  expect(asked).toEqual([]);
});

test("what fails is said, and tried again with the next sandbox", async () => {
  const { keeper, asked, said } = pool({ keep: () => Promise.reject(new Error("no image")) });
  for (let times = 0; times < 2; times += 1) {
    keeper.look("one");
    await vi.runAllTimersAsync();
  }
  expect(asked).toHaveLength(2);
  expect(said).toEqual(["the pool is not filled", "the pool is not filled"]);
});

test("its end takes back what is half made, and nothing begins afterwards", async () => {
  let end: "taken back" | undefined;
  const keep = (signal?: AbortSignal) =>
    new Promise<number>((_resolve, reject) =>
      signal?.addEventListener("abort", () => {
        end = "taken back";
        reject(new Error("cancelled"));
      }),
    );
  const { keeper, asked, said } = pool({ keep });
  keeper.look("one");
  await vi.runAllTimersAsync();
  keeper.look("other");
  await keeper.close();
  expect(end).toBe("taken back");
  keeper.look("one");
  await vi.runAllTimersAsync();
  expect(asked).toEqual(["one"]);
  expect(said).toEqual([]);
});
