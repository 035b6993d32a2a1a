import { setTimeout as sleep } from "node:timers/promises";
import { advanceBranch } from "../state/branch.ts";
import { change } from "../state/change.ts";
import type { Lease } from "../state/lease.ts";
import { findLoop } from "../state/loops.ts";
import type { StageWork } from "./work.ts";

/** What a dispatcher did, for a test to look at. */
export interface CountedWork {
  work: StageWork;
  /** Every stage that was begun, in its order. */
  begun: Lease[];
  /** How many were worked on at the same time at most. */
  most: number;
  failures: unknown[];
  /** What a run does before it is submitted. */
  during: (lease: Lease, signal: AbortSignal) => Promise<void>;
}

/** Stages without agents or sandboxes, whose changes of state are the real ones: run, judge and merge. For tests. */
export function countedWork(during: CountedWork["during"] = async () => {}): CountedWork {
  let now = 0;
  const counted: CountedWork = {
    begun: [],
    most: 0,
    failures: [],
    during,
    work: {
      plan: async () => {},
      run: (place, lease, signal) =>
        count(lease, async () => {
          await counted.during(lease, signal);
          const asked = { what: "task", id: lease.task ?? "", by: "submit", from: "running" } as const;
          await change(place.database, { ...asked, fence: lease.fence });
        }),
      judge: (place, lease) =>
        count(lease, async () => {
          const from = "blocked(awaiting_judge)";
          const asked = { what: "task", id: lease.task ?? "", by: "pass", from } as const;
          await change(place.database, { ...asked, fence: lease.fence });
        }),
      merge: (place, { loop, task, fence }) => {
        const merge = async (): Promise<void> => {
          const fromOid = (await findLoop(place.database, loop))?.branchOid ?? null;
          const toOid = `${fromOid}+`;
          const asked = { loop, task: task ?? "", fence, fromOid, toOid };
          const { advanced } = await advanceBranch(place.database, asked);
          if (!advanced) await merge();
        };
        return merge();
      },
      failed: async (_place, _lease, error) => {
        counted.failures.push(error);
      },
    },
  };
  return counted;

  async function count(lease: Lease, act: () => Promise<void>): Promise<void> {
    counted.begun.push(lease);
    counted.most = Math.max(counted.most, ++now);
    try {
      // Others get their turn, as they would while an agent works.
      await sleep(1);
      await act();
    } finally {
      now -= 1;
    }
  }
}
