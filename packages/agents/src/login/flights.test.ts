import { describe, expect, it, vi } from "vitest";
import { Flights } from "./flights.ts";

describe("a question that many ask", () => {
  it("is asked once while it is under way, and again when its answer is old", async () => {
    let now = 0;
    const flights = new Flights<number>(1000, () => now);
    const find = vi.fn(async () => find.mock.calls.length);
    expect(await Promise.all([1, 2, 3].map(() => flights.ask("a", find, undefined)))).toEqual([1, 1, 1]);
    now = 999;
    expect(await flights.ask("a", find, undefined)).toBe(1);
    expect(await flights.ask("b", find, undefined)).toBe(2);
    now = 1000;
    expect(await flights.ask("a", find, undefined)).toBe(3);
  });

  it("is given up when the last who wanted to know has given up, and not before", async () => {
    const flights = new Flights<string>(1000);
    let asked: AbortSignal | undefined;
    let answer = (_text: string) => {};
    const find = (signal: AbortSignal) => {
      asked = signal;
      return new Promise<string>((resolve) => {
        answer = resolve;
      });
    };
    const [first, second] = [new AbortController(), new AbortController()];
    const one = flights.ask("a", find, first.signal);
    const two = flights.ask("a", find, second.signal);
    first.abort(new Error("enough"));
    await expect(one).rejects.toThrow("enough");
    expect(asked?.aborted).toBe(false);
    second.abort(new Error("me too"));
    await expect(two).rejects.toThrow("me too");
    expect(asked?.aborted).toBe(true);
    const before = asked;
    const next = flights.ask("a", find, undefined);
    expect(asked).not.toBe(before);
    answer("new");
    expect(await next).toBe("new");
  });

  it("that fails is not kept", async () => {
    const flights = new Flights<number>(1000);
    await expect(flights.ask("a", () => Promise.reject(new Error("no")), undefined)).rejects.toThrow("no");
    expect(await flights.ask("a", async () => 1, undefined)).toBe(1);
  });

  it("is not asked for somebody who has given up before", async () => {
    const find = vi.fn(async () => 1);
    const asked = new Flights<number>(1000).ask("a", find, AbortSignal.abort(new Error("early")));
    await expect(asked).rejects.toThrow("early");
    expect(find).not.toHaveBeenCalled();
  });
});
