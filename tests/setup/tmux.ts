import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { commandPath } from "../../scripts/packages/command-path.mjs";
import { atEnd } from "./at-end.ts";
import { temporaryFolder } from "./temporary-workspace.ts";
import { until } from "./until.ts";

const run = promisify(execFile);

export const canHaveTmux = commandPath("tmux") !== undefined;

/** A real terminal with a shell in it, as a person has one. */
export interface Terminal {
  /** Types a line and presses Enter. */
  type(line: string): Promise<void>;
  /** One key, as tmux calls it: `C-c`. */
  press(key: string): Promise<void>;
  /** What is on it now, without empty lines at its end. */
  screen(): Promise<string>;
  /** Waits until it shows this. */
  shows(what: RegExp): Promise<string>;
}

export interface TerminalOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
  columns: number;
  rows: number;
}

/** Loops take a while. */
const patienceMs = 120_000;

/** On a tmux server of its own, with nobody's settings; it ends with the test file. */
export async function terminal({ env, cwd, columns, rows }: TerminalOptions): Promise<Terminal> {
  // Under a name of its own, tmux would leave its socket in a folder that no test removes.
  const socket = join(temporaryFolder("ot-tmux-"), "s");
  const tmux = async (...words: string[]) =>
    (await run("tmux", ["-u", "-S", socket, ...words], { env: { ...env, LC_ALL: "C.UTF-8" } })).stdout;
  const size = ["-x", `${columns}`, "-y", `${rows}`];
  await tmux("-f", "/dev/null", "new-session", "-d", ...size, "-c", cwd, "sh");
  atEnd(() => tmux("kill-server"));
  const screen = async () => (await tmux("capture-pane", "-p")).trimEnd();
  const shown: Terminal = {
    type: async (line) => {
      await tmux("send-keys", "-l", line);
      await tmux("send-keys", "Enter");
    },
    press: async (key) => void (await tmux("send-keys", key)),
    screen,
    shows: async (what) => {
      let last = "";
      const look = async () => {
        last = await screen();
        return what.test(last);
      };
      await until(`a terminal shows ${what}`, look, patienceMs).catch((error: unknown) => {
        throw new Error(`it shows\n${last}`, { cause: error });
      });
      return last;
    },
  };
  await shown.type("PS1='$ '; clear");
  await shown.shows(/^\$$/);
  return shown;
}
