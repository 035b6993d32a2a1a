import { type StateMeaning, stageKinds, stageRoles, stageStates } from "@opentiger/schema";
import { ownersFrom } from "./owners.ts";
import { statesOf, transitionOf, transitions, type What } from "./transitions.ts";

/** docs/state-model.md, made of the words and the table; a test holds the file against it. */
export function stateModelDocument(): string {
  return `${[
    "<!-- Made of packages/schema/src/state.ts, and transitions.ts and owners.ts of packages/orchestrator/src/state. After a change:",
    "     UPDATE_DOCS=1 npx vitest run --project unit packages/orchestrator/src/state/state-model-document.test.ts -->",
    "",
    "# States, and what moves them",
    "",
    "A state is a status and, for some, a reason: `blocked(paused)`. Look up the state, then the transition, its owner and",
    "the file that asks for it. Whatever is not in these tables is refused. One function, `change` of",
    "`packages/orchestrator/src/state/change.ts`, does all of them: in one transaction it compares the state and the fence,",
    "sets the new state, opens the stage that follows, and writes the event, which is told to all who listen.",
    "What happens in between: [flow.md](flow.md). Who the owners are: [agent/README.md](agent/README.md).",
    "",
    ...section("task", "A task"),
    ...steppingIn,
    ...section("loop", "A loop"),
    ...section("run", "A run"),
    "## A stage",
    "",
    `What is claimed is a stage: ${words(stageKinds)}. A task has at most one that has not ended, a loop one to be planned.`,
    `It is ${words(stageStates)}: waiting for its loop to run or for tasks that it needs, ready to be claimed, claimed by an`,
    `owner with a lease and a fence, or ended. Who claims it is one of ${words(stageRoles)}.`,
  ].join("\n")}\n`;
}

/** What people say to a task, which depends on its state and does not always change it. */
const steppingIn = [
  "### What a person says to it",
  "",
  "Where a person sends a task back with comments, or says something to its agent, follows from its state. *Work* is the",
  "candidate, or what a failed run left; comments are on lines of the diff of that, and others are refused.",
  "",
  ...table(
    ["state", "sent back", "a message"],
    [
      [
        code("running"),
        "becomes a message",
        "its agent's turn is ended, and the same conversation goes on with it",
      ],
      [
        code("blocked(awaiting_judge)"),
        "`send_back`: points for the next run; who judges or merges it stops",
        "refused: send it back",
      ],
      [code("blocked(needs_rework)"), "`send_back`: more points", "refused: send it back"],
      [
        code("failed"),
        "`send_back` where there is work, with all tries anew; its loop is open again",
        "refused: send it back, or retry it",
      ],
      [
        code("done"),
        "a new task that needs it; its loop is open again, unless it was cancelled or discarded",
        "refused: send it back",
      ],
      [code("cancelled"), "refused: retry it", "refused: retry it"],
      ["any other", "refused: change its instructions", "refused: change its instructions"],
    ],
  ),
  "",
  "A message is a row of `task_messages` and changes no state: it is taken for a turn of a run before that begins, and given",
  "when its agent has started. A run is not handed in while one waits, and what no agent has heard waits for the next run.",
  "",
];

function section(what: What, title: string): string[] {
  const meanings: [string, StateMeaning][] = Object.entries(statesOf[what]);
  return [
    `## ${title}`,
    "",
    ...table(
      ["state", "moved on by", "how"],
      meanings.map(([state, { owner, sentence }]) => [code(state), owner, sentence]),
    ),
    "",
    ...table(
      ["state", "transition", "becomes", "stage", "owner", "implementation"],
      meanings.flatMap(([state]) => transitionRows(what, state)),
    ),
    "",
  ];
}

function transitionRows(what: What, state: string): string[][] {
  return Object.keys(transitions[what])
    .map((by) => ({ by, ...transitionOf(what, by) }))
    .filter(({ from }) => from.includes(state))
    .flatMap(({ by, to, stage }) =>
      ownersFrom(what, by, state).map(({ owner, where, to: some = to }) => [
        code(state),
        code(by),
        some.map(code).join(" or "),
        stage === "same" || stage === "none" ? stage : `new ${code(stage)}`,
        owner,
        where.map((file) => `[${file}](../packages/orchestrator/src/${file})`).join(", "),
      ]),
    );
}

function words(all: readonly string[]): string {
  return all.map(code).join(", ");
}

function code(word: string): string {
  return `\`${word}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}
