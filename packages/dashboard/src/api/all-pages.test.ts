import { expect, it, vi } from "vitest";
import { allPages } from "./all-pages.ts";

it("a list that is longer than a page is read to its end", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path);
    const after = Number(new URL(path, "http://server").searchParams.get("after") ?? 0);
    const next = after < 2 ? after + 1 : null;
    return Response.json({ items: [after], next });
  });
  try {
    expect(await allPages("/loops/a/tasks", {})).toEqual({ items: [0, 1, 2] });
  } finally {
    vi.unstubAllGlobals();
  }
  expect(asked).toEqual([
    "/loops/a/tasks?limit=500",
    "/loops/a/tasks?limit=500&after=1",
    "/loops/a/tasks?limit=500&after=2",
  ]);
});
