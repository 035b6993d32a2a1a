import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { lookEveryMs, looksInVain, whenForgotten } from "./forgotten.ts";

let top: string;
let state: string;
let end: ReturnType<typeof vi.fn<() => void>>;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "ot-forgotten-"));
  state = join(top, "state");
  mkdirSync(state);
  writeFileSync(join(state, "own.cjs"), "");
  vi.useFakeTimers();
  end = vi.fn<() => void>();
  whenForgotten(join(state, "own.cjs"), end);
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(top, { recursive: true, force: true });
});

const looks = (count: number) => vi.advanceTimersByTime(count * lookEveryMs);

describe("a supervisor of the host", () => {
  it("goes on while its file is there", () => {
    looks(100);
    expect(end).not.toHaveBeenCalled();
  });

  it("is forgotten when its state folder stays away, and is told so once", () => {
    rmSync(state, { recursive: true });
    looks(looksInVain - 1);
    expect(end).not.toHaveBeenCalled();
    looks(1);
    expect(end).toHaveBeenCalledOnce();
    looks(10);
    expect(end).toHaveBeenCalledOnce();
  });

  it("goes on when its state folder is away for a moment, however often", () => {
    for (let times = 0; times < 5; times += 1) {
      renameSync(state, join(top, "elsewhere"));
      looks(looksInVain - 1);
      renameSync(join(top, "elsewhere"), state);
      looks(1);
    }
    expect(end).not.toHaveBeenCalled();
  });

  it("goes on where its file cannot be looked at", () => {
    rmSync(state, { recursive: true });
    symlinkSync(state, state);
    looks(100);
    expect(end).not.toHaveBeenCalled();
  });
});
