import type { SandboxStats } from "@opentiger/schema";
import type Docker from "dockerode";
import { z } from "zod";

const statsAnswer = z.object({
  memory_stats: z.object({ usage: z.number().optional(), limit: z.number().optional() }).optional(),
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number().optional() }).optional() }).optional(),
  pids_stats: z.object({ current: z.number().optional(), limit: z.number().optional() }).optional(),
});

const topAnswer = z.object({
  Titles: z.array(z.string()),
  Processes: z.array(z.array(z.string())).nullish(),
});

/** What the engine itself counts, for sandboxes that have nobody inside to ask. */
export async function engineStats(container: Docker.Container): Promise<SandboxStats> {
  const [stats, top] = await Promise.all([
    container.stats({ stream: false, "one-shot": true }).then((answer) => statsAnswer.parse(answer)),
    container
      .top({ ps_args: "-eo pid,ppid,uid,stat,rss,args" })
      .then((answer: unknown) => topAnswer.parse(answer)),
  ]);
  return {
    memoryBytes: stats.memory_stats?.usage ?? 0,
    memoryLimitBytes: stats.memory_stats?.limit ?? null,
    cpuUsec: Math.round((stats.cpu_stats?.cpu_usage?.total_usage ?? 0) / 1000),
    pids: stats.pids_stats?.current ?? 0,
    pidsLimit: stats.pids_stats?.limit ?? null,
    processes: (top.Processes ?? []).map(([pid, ppid, uid, state, rss, ...command]) => ({
      pid: Number(pid),
      ppid: Number(ppid),
      uid: Number(uid),
      state: state ?? "",
      rssBytes: Number(rss) * 1024,
      command: command.join(" "),
    })),
  };
}
