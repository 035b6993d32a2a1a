export const loopsWords = {
  title: "Loops",
  lead: "A loop is one requirement being worked off: planned, run in sandboxes, judged, and put on a branch.",
  requirement: "Requirement",
  state: "State",
  progress: "Tasks",
  cost: "Cost",
  tokens: "Tokens",
  updated: "Changed",
  emptyTitle: "Start your first loop",
  empty:
    "Say what you want and in which repository. Agents work on a private copy; you get a branch of judged commits, and your checkout is never touched.",
  nothing: "None of these loops is one of those.",
  more: "Show older loops",
  filter: "Show",
  searchHint: "Search requirements",
  noTasks: "no tasks yet",
} as const;
