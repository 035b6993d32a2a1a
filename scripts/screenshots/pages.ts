import type { Showcase } from "../../tests/browser/showcase.ts";

export interface Shot {
  path: string;
  /** What comes after all else, where it comes from somewhere that takes its time. */
  says?: string | RegExp;
}

export type Pages = Readonly<Record<string, Shot>>;

/** The processor's part, which takes two looks. */
const measured = /\d %/;

/** What is kept of what was done. */
const records: Pages = {
  overview: { path: "/" },
  loops: { path: "/loops" },
  "new-loop": { path: "/loops/new" },
  secrets: { path: "/secrets" },
  usage: { path: "/usage" },
  judgements: { path: "/judgements" },
  agents: { path: "/agents" },
  audit: { path: "/audit" },
};

/** What there is to see in an instance that has done nothing yet. */
export const first: Pages = {
  ...records,
  sandboxes: { path: "/sandboxes" },
  ...tabs("system", "/system", ["processes", "configuration", "keys"]),
};

/** What there is while the dispatcher and a sandbox run. */
export const alive: Pages = {
  sandboxes: { path: "/sandboxes", says: measured },
  ...tabs("system", "/system", ["processes", "configuration", "keys"]),
  terminal: { path: "/sandboxes/notes", says: "worker@" },
  sandbox: { path: "/sandboxes/notes?tab=network", says: measured },
  "sandbox-processes": { path: "/sandboxes/notes?tab=processes", says: measured },
  "sandbox-files": { path: "/sandboxes/notes?tab=files", says: measured },
  "sandbox-ports": { path: "/sandboxes/notes?tab=ports", says: measured },
  "sandbox-details": { path: "/sandboxes/notes?tab=details", says: measured },
};

/** What there is after a week of work. */
export function worked({ running, approval, failed, done, task, failedTask, run, judged }: Showcase): Pages {
  return {
    ...records,
    ...tabs("loop", `/loops/${running}`, ["board", "activity", "runs", "requirement"]),
    "loop-plan": { path: `/loops/${approval}` },
    "loop-failed": { path: `/loops/${failed}` },
    "loop-summary": { path: `/loops/${done}` },
    ...tabs("task", `/tasks/${task}`, ["runs", "judgements", "history"]),
    "task-failed": { path: `/tasks/${failedTask}` },
    run: { path: `/runs/${run}`, says: "One is red" },
    "run-ended": { path: `/runs/${judged}`, says: "One is red" },
    "run-diff": { path: `/runs/${run}?tab=diff` },
    "run-logs": { path: `/runs/${run}?tab=logs` },
  };
}

/** A page as it opens, and with each of its other tabs. */
function tabs(name: string, path: string, others: readonly string[]): Pages {
  return {
    [name]: { path },
    ...Object.fromEntries(others.map((tab) => [`${name}-${tab}`, { path: `${path}?tab=${tab}` }])),
  };
}
