import { openDatabase } from "@opentiger/orchestrator";
import { z } from "zod";
import { fillQueue } from "./claims.ts";
import { type Series, sideBySide } from "./measure.ts";
import { serverPlace } from "./server-place.ts";

const page = z.object({ items: z.array(z.object({ id: z.string() })).min(1) });

/** Lists and single rows over HTTP, with so many tasks in loops of 1000. Nobody works on them. */
export async function measureLists(tasks: number, rounds: number): Promise<Series[]> {
  const place = serverPlace({ processes: [] });
  try {
    const database = await openDatabase({ env: place.env, program: "bench" });
    await fillQueue(database, tasks);
    await database.close();
    const url = await place.up();
    const get = async (path: string): Promise<unknown> => {
      const answer = await fetch(`${url}${path}`);
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
      return answer.json();
    };
    const first = async (path: string) => page.parse(await get(path)).items[0]?.id ?? "";
    const loop = await first("/loops");
    const task = await first(`/loops/${loop}/tasks`);
    const paths = [
      "/loops?limit=50",
      `/loops/${loop}`,
      `/loops/${loop}/tasks?limit=50`,
      `/loops/${loop}/tasks?limit=50&after=900`,
      `/tasks/${task}`,
    ];
    const names = ["list loops", "show a loop", "list tasks", "list tasks, the last page", "show a task"];
    return await sideBySide(
      paths.map((path, index) => ({ name: names[index] ?? path, run: async () => void (await get(path)) })),
      rounds,
      5,
    );
  } finally {
    await place.remove();
  }
}
