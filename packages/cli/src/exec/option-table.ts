/** One option of `exec`, as the parser, the help and the completion see it. */
export interface ExecOption {
  long: string;
  short?: string;
  /** What stands for the value in the help. Absent: a flag. */
  value?: string;
  description: string;
}

/**
 * The options of `exec`. They are data and not commander's, since the lean client must understand them without
 * paying for commander, and since options end at the sandbox's name: what follows is the command, untouched.
 */
export const execOptions = [
  { long: "detach", short: "d", description: "start the command and do not wait for it" },
  {
    long: "env",
    short: "e",
    value: "NAME[=VALUE]",
    description: "set a variable; NAME alone takes it from here",
  },
  { long: "env-file", value: "FILE", description: "read variables from a file" },
  { long: "interactive", short: "i", description: "hand on stdin" },
  { long: "tty", short: "t", description: "give the command a terminal" },
  { long: "user", short: "u", value: "USER[:GROUP]", description: "name or uid in the sandbox" },
  { long: "workdir", short: "w", value: "DIR", description: "working directory (default: the workspace)" },
  { long: "timeout", value: "DURATION", description: "end the command after 90s, 15m, 2h; exit code 124" },
  { long: "id", value: "ID", description: "choose the id under which `attach` finds it again" },
  {
    long: "detach-keys",
    value: "KEYS",
    description: "with -t: leave the command running (default ctrl-p,ctrl-q)",
  },
  { long: "privileged", description: "refused: a sandbox hands out no privileges" },
  { long: "json", description: "output, exit and errors as JSON lines" },
  { long: "context", short: "c", value: "NAME", description: "docker context to use" },
  { long: "help", short: "h", description: "show this help" },
] as const satisfies readonly ExecOption[];

export type ExecOptionName = (typeof execOptions)[number]["long"];
