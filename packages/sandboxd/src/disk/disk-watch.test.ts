import { expect, test } from "vitest";
import { type Disk, DiskWatch } from "./disk-watch.ts";

/** A disk whose free space and sizes are told look by look. */
function disk(looks: { free: number | undefined; sizes?: Record<string, number> }[]) {
  const paused: { id: string; reason: string }[] = [];
  let sizesRead = 0;
  let now = looks[0];
  const told: Disk = {
    free: async () => {
      now = looks.shift();
      return new Map(now?.free === undefined ? [] : [["disk", now.free]]);
    },
    sizes: async () => {
      sizesRead++;
      return new Map(Object.entries(now?.sizes ?? {}));
    },
    pause: async (id, reason) => void paused.push({ id, reason }),
  };
  return { told, paused, read: () => sizesRead };
}

const floor = 1000;

test("far above the floor nobody's size is even read", async () => {
  const { told, paused, read } = disk([{ free: 2001 }, { free: 5000 }]);
  const watch = new DiskWatch(told, floor);
  await watch.look();
  await watch.look();
  expect(read()).toBe(0);
  expect(paused).toEqual([]);
});

test("below the floor the one that grew the most is paused, with the reason", async () => {
  const { told, paused } = disk([
    { free: 1500, sizes: { old: 9_000_000, quick: 10 } },
    { free: 900, sizes: { old: 9_100_000, quick: 5_000_010 } },
  ]);
  const watch = new DiskWatch(told, floor);
  expect(await watch.look()).toEqual([]);
  expect(await watch.look()).toEqual(["quick"]);
  expect(paused).toHaveLength(1);
  expect(paused[0]?.reason).toContain("grew by 5 MB");
});

test("the first look below the floor pauses nobody: who grew is not known yet", async () => {
  const { told, paused } = disk([{ free: 10, sizes: { one: 100 } }]);
  await new DiskWatch(told, floor).look();
  expect(paused).toEqual([]);
});

test("when no sandbox grows, none is paused: something else fills the disk", async () => {
  const sizes = { one: 100, two: 200 };
  const { told, paused } = disk([
    { free: 500, sizes },
    { free: 400, sizes },
  ]);
  const watch = new DiskWatch(told, floor);
  await watch.look();
  await watch.look();
  expect(paused).toEqual([]);
});

test("one that was made since the last look, or wrote next to nothing, is not what fills the disk", async () => {
  const { told, paused } = disk([
    { free: 500, sizes: { one: 100 } },
    { free: 400, sizes: { one: 40_000, made: 9_000_000 } },
  ]);
  const watch = new DiskWatch(told, floor);
  await watch.look();
  await watch.look();
  expect(paused).toEqual([]);
});

test("each disk has a fastest grower of its own, and a full one pauses nobody who writes elsewhere", async () => {
  let look = 0;
  const paused: string[] = [];
  const watch = new DiskWatch(
    {
      free: async () =>
        new Map([
          ["full", 10],
          ["roomy", 5000],
        ]),
      sizes: async (fileSystem) => {
        expect(fileSystem).toBe("full");
        look++;
        return new Map([["writer", look * 3_000_000]]);
      },
      pause: async (id) => void paused.push(id),
    },
    floor,
  );
  await watch.look();
  await watch.look();
  expect(paused).toEqual(["writer"]);
});

test("a look that takes long is not joined by the next one", async () => {
  let looks = 0;
  let finish = () => {};
  const long = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const free = async () => {
    looks++;
    await long;
    return new Map<string, number>();
  };
  const watch = new DiskWatch({ free, sizes: async () => new Map(), pause: async () => {} }, floor);
  const first = watch.look();
  expect(await watch.look()).toEqual([]);
  finish();
  await first;
  expect(looks).toBe(1);
});

test("a disk that cannot be looked at pauses nobody", async () => {
  const { told, paused, read } = disk([{ free: undefined }]);
  await new DiskWatch(told, floor).look();
  expect(read()).toBe(0);
  expect(paused).toEqual([]);
});
