import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { opentigerBundle } from "../setup/command-line.ts";
import { endInstance } from "../setup/end-instance.ts";
import { freePort } from "../setup/free-port.ts";
import { userRepository } from "../setup/loop-world.ts";
import { processesOf } from "../setup/processes-of.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { canHaveTmux, type Terminal, terminal } from "../setup/tmux.ts";

const timeoutMs = 180_000;
const page = new URL("../../docs/terminal.md", import.meta.url);

/** Of a task called `Write NAME` it writes NAME.txt; one called `Tidy …` it never ends. As a judge it passes everything. */
const agent = `prompt=$(cat)
case $prompt in
"# Tidy"*) echo "Looking through the notes"; exec sleep 86400 ;;
"# Write "*) name=\${prompt%%
*}; name=\${name#\\# Write }; echo "Writing $name.txt"; echo "$name" > "$name.txt" ;;
*) echo '{"judgement":"pass","summary":"It is as asked for.","points":[]}' ;;
esac`;

const stories = `# Notes

- [ ] Write greeting
  - allowedPaths: greeting.txt
- [ ] Write parting
  - allowedPaths: parting.txt
- [ ] Tidy up the notes
  - needs: Write greeting
  - allowedPaths: notes/**
`;

/** What a person sees, step by step, and what has to be there: on the terminal, and on the page that shows it. */
interface Step {
  title: string;
  expected: RegExp[];
}

const steps = {
  up: {
    title: "Start everything",
    expected: [
      /^\$ opentiger up$/m,
      /✓ openTiger runs at http:/,
      /log in, once +http:/,
      /Ctrl-C ends it; agents go on/,
    ],
  },
  run: {
    title: "Give it work, and watch",
    expected: [
      /^\$ opentiger run -f stories\.md$/m,
      /^[a-z0-9]{8} running +Notes +\d+s$/m,
      /✓ 1 worker +Write greeting +done +\d+s$/m,
      /✓ 2 worker +Write parting +done +\d+s$/m,
      /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] 3 worker +Tidy up the notes +Looking through the notes +\d+s$/m,
      /2 of 3 done · 0 tokens · http:\S+\/loops\/[a-z0-9]{8}$/m,
      /Ctrl-C leaves it running/,
    ],
  },
  leave: {
    title: "Leave it with Ctrl-C: it goes on",
    expected: [/the loop goes on; back to it: opentiger loop events -f [a-z0-9]{8}/, /^130$/m],
  },
  back: {
    title: "Come back to it",
    expected: [/^\$ opentiger loop events -f [a-z0-9]{8}$/m, / 3 worker +Tidy up the notes +Looking through/],
  },
  cancel: {
    title: "Press Ctrl-C twice: it is cancelled",
    expected: [/- 3 worker +Tidy up the notes +cancelled/, /^loop [a-z0-9]{8}: cancelled$/m, /^2$/m],
  },
  end: { title: "End everything", expected: [/openTiger has ended$/m, /^\$ *$/m] },
} as const satisfies Record<string, Step>;

type StepName = keyof typeof steps;

const seen = new Map<StepName, string>();

/** The screen of a step has what it should, and is kept for the page. */
function keep(name: StepName, screen: string): void {
  seen.set(name, screen);
  for (const pattern of steps[name].expected) expect(screen).toMatch(pattern);
}

describe.skipIf(!canHaveTmux)("a person at a terminal", () => {
  let env: NodeJS.ProcessEnv;
  let first: Terminal;
  let second: Terminal;

  beforeAll(async () => {
    const home = temporaryFolder("ot-tty-");
    const bin = join(home, "bin");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "opentiger"),
      `#!/bin/sh\nexec '${process.execPath}' '${opentigerBundle}' "$@"\n`,
    );
    chmodSync(join(bin, "opentiger"), 0o755);
    env = {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: home,
      OPENTIGER_HOME: join(home, "state"),
      OPENTIGER_API_PORT: String(await freePort()),
      OPENTIGER_AGENT_COMMAND: JSON.stringify(["sh", "-c", agent]),
      EXECUTION_ENVIRONMENT: "host",
      OPENTIGER_WORKER_AGENT: "command",
      OPENTIGER_JUDGE_AGENT: "command",
    };
    atEnd(() => endInstance(env));
    const cwd = userRepository({ "opentiger.json": '{"verify":["true"]}\n', "stories.md": stories });
    const size = { columns: 100, rows: 24 };
    first = await terminal({ env, cwd, ...size });
    second = await terminal({ env, cwd, ...size });
  });

  test(
    "starts everything, watches a loop, leaves it, comes back, cancels it, and ends everything",
    async () => {
      await first.type("opentiger up");
      keep("up", await first.shows(/Ctrl-C ends it/));

      await second.type("opentiger run -f stories.md");
      keep("run", await second.shows(/Looking through the notes.*2 of 3 done/s));
      await second.press("C-c");
      await second.shows(/Ctrl-C once more cancels the loop/);
      await second.shows(/back to it: .*\n\$/);
      await second.type("echo $?");
      const left = await second.shows(/^130$/m);
      keep("leave", left);

      const [, loop = ""] = /loop events -f ([a-z0-9]{8})/.exec(left) ?? [];
      await second.type("clear");
      await second.shows(/^\$$/);
      await second.type(`opentiger loop events -f ${loop}`);
      keep("back", await second.shows(/Looking through the notes.*2 of 3 done/s));
      await second.press("C-c");
      // Two signals that come before either is looked at are one.
      await second.shows(/Ctrl-C once more cancels the loop/);
      await second.press("C-c");
      await second.shows(/^loop [a-z0-9]{8}: cancelled$.*\n\$/ms);
      await second.type("echo $?");
      keep("cancel", await second.shows(/^2$/m));

      await first.press("C-c");
      keep("end", await first.shows(/openTiger has ended\n\$/));
      expect(processesOf(`OPENTIGER_HOME=${env["OPENTIGER_HOME"]}`).filter(isOurs)).toEqual([]);
      if (process.env["UPDATE_DOCS"]) writeFileSync(page, rendered());
    },
    timeoutMs,
  );
});

/** After a change of what a terminal shows: UPDATE_DOCS=1 npx vitest run --project e2e tests/e2e/terminal.test.ts */
test("docs/terminal.md shows the same steps, with all that a terminal shows in each", () => {
  const sections = readFileSync(page, "utf8").split(/^## /m).slice(1);
  expect(sections.map((section) => section.split("\n")[0])).toEqual(
    Object.values(steps).map(({ title }) => title),
  );
  for (const [index, { expected }] of Object.values(steps).entries())
    for (const pattern of expected) expect(sections[index]).toMatch(pattern);
});

/** The terminals themselves have the variable too. */
function isOurs({ command }: { command: string }): boolean {
  return command !== "sh" && !command.startsWith("tmux");
}

function rendered(): string {
  const sections = [...seen].map(
    ([name, screen]) => `## ${steps[name].title}\n\n\`\`\`text\n${asShown(screen)}\n\`\`\`\n`,
  );
  return `# At a terminal\n\n${lead}\n\n${sections.join("\n")}`;
}

const lead = `What \`opentiger\` looks like in a terminal of 100 columns, as a test captured it: the story file has three stories, and the
third takes long. The view is drawn again in place while the loop runs; piped, the same command prints a line for each thing
that happens, and with \`--json\` one document a line.`;

/** The same from one run to the next, as far as it can be: what is of this run alone is replaced. */
function asShown(screen: string): string {
  const [, loop = ""] = /(?:loop|-f|loops\/)\W?([a-z0-9]{8})\b/.exec(screen) ?? [];
  return (loop === "" ? screen : screen.replaceAll(loop, "k3v9x0ab"))
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:4301")
    .replaceAll(/otl_\w{12}_[\w-]+(?:\n[\w-]+)?/g, "otl_…");
}
