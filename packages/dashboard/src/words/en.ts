import { agentsWords } from "./en/agents.ts";
import { auditWords } from "./en/audit.ts";
import { judgementsWords } from "./en/judgements.ts";
import { loopWords } from "./en/loop.ts";
import { loopsWords } from "./en/loops.ts";
import { newLoopWords } from "./en/new-loop.ts";
import { overviewWords } from "./en/overview.ts";
import { runWords } from "./en/run.ts";
import { sandboxWords } from "./en/sandbox.ts";
import { sandboxesWords } from "./en/sandboxes.ts";
import { secretsWords } from "./en/secrets.ts";
import { commonWords, errorWords, shellWords } from "./en/shell.ts";
import { stateWords } from "./en/states.ts";
import { systemWords } from "./en/system.ts";
import { systemPartsWords } from "./en/system-parts.ts";
import { taskWords } from "./en/task.ts";
import { usageWords } from "./en/usage.ts";

/** All texts in English, one file a page. */
export const en = {
  common: commonWords,
  errors: errorWords,
  shell: shellWords,
  states: stateWords,
  overview: overviewWords,
  loops: loopsWords,
  newLoop: newLoopWords,
  loop: loopWords,
  task: taskWords,
  run: runWords,
  sandboxes: sandboxesWords,
  sandbox: sandboxWords,
  system: systemWords,
  systemParts: systemPartsWords,
  secrets: secretsWords,
  usage: usageWords,
  judgements: judgementsWords,
  agents: agentsWords,
  audit: auditWords,
} as const;
