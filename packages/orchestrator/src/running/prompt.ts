import type { ReworkPoint, ReworkReason, VerifyCommand } from "@opentiger/schema";
import { placedText, type Said } from "../agent/said.ts";
import type { TaskRow } from "../state/tasks.ts";

/** All that a prompt tells of a task and its place. */
export interface PromptParts {
  task: Pick<TaskRow, "title" | "role" | "instructions" | "allowedPaths" | "mayChange">;
  requirement: string;
  verify: readonly VerifyCommand[];
  /** Files with tests that were written before, and must stay as they are. */
  locked: readonly string[];
  /** Where to write down why a locked test is wrong. */
  disputeFile: string;
  /** The commit on which the task is built. */
  base: string;
  /** Whether its tests wait for code that is written afterwards. */
  testsFirst: boolean;
  rework: { failure: ReworkReason; points: readonly ReworkPoint[]; patch: string | null } | null;
  /** What people said to the task before, and no point of the rework says again. */
  saidBefore: readonly Said[];
  /** What they said since, and nobody has told the agent. */
  saidNow: readonly Said[];
}

/** The whole of it, for a conversation that begins. */
export function taskPrompt(parts: PromptParts): string {
  const { task, requirement } = parts;
  return sections([
    `# ${task.title}`,
    task.instructions,
    roleWords(parts),
    `This is one task of a larger requirement, which others work on too. Do only this task. The requirement is:\n\n${quoted(requirement)}`,
    pathWords(task),
    verifyWords(parts),
    lockedWords(parts),
    "Work in the current folder, a private clone of the repository. Nobody is there to answer questions: decide yourself, and say at the end what you decided. You may commit or leave that to us. Do not push, and do not change git's configuration or remotes.",
    parts.rework && reworkWords(parts, parts.rework),
    saidWords([...parts.saidBefore, ...parts.saidNow]),
  ]);
}

/** For a conversation that goes on: what happened since its last word. */
export function goOnPrompt(parts: PromptParts): string {
  const { rework } = parts;
  if (!rework) return taskPrompt(parts);
  return sections([
    whatHappened(rework.failure),
    pointWords(rework.points),
    patchWords(rework.patch),
    saidWords(parts.saidNow),
    `Look at the workspace first: it may be another one than before. ${soFar(parts)} What you were told about the task holds as before.`,
  ]);
}

/** For a conversation in the middle of which somebody stepped in. */
export function messagePrompt(said: readonly Said[]): string {
  return sections([
    saidWords(said),
    "Your turn was ended to tell you this; a command that you had started may have been ended with it. Go on with the task accordingly. What you were told before holds as far as this does not change it.",
  ]);
}

function saidWords(said: readonly Said[]): string | null {
  if (said.length === 0) return null;
  return `The person whose repository this is says:\n\n${said.map(placedText).join("\n\n")}`;
}

function roleWords({ task: { role }, testsFirst }: PromptParts): string {
  if (role === "docser") return "You write documentation. Do not change what the program does.";
  if (role === "worker") return "You implement this, with the tests that it deserves.";
  return testsFirst
    ? "You write tests, and nothing but tests. The code that they test is written afterwards by somebody else: your tests must fail now, because it is missing, and pass when it is right. Test behaviour that the task asks for, and no accident of one implementation."
    : "You write tests, and nothing but tests, for what is there. They must pass.";
}

function pathWords({ allowedPaths, mayChange }: PromptParts["task"]): string | null {
  const allowed =
    allowedPaths.length === 0
      ? null
      : `You may change only what these paths and patterns name; anything else is refused:\n\n${list(allowedPaths)}`;
  const tests =
    mayChange.length === 0
      ? "Tests and build files that were there before are checked as they were: weakening them gains nothing."
      : `Of the tests and build files that were there before, you are meant to change:\n\n${list(mayChange)}`;
  return [allowed, tests].filter((part) => part !== null).join("\n\n");
}

function verifyWords({ verify, testsFirst }: PromptParts): string | null {
  if (verify.length === 0) return null;
  const commands = list(verify.map(({ command }) => `\`${command}\``));
  return testsFirst
    ? `These commands are run when you are done. What passed before must still pass, and your new tests must be among what fails:\n\n${commands}`
    : `When you are done these commands are run, and must pass. Run them yourself before you end:\n\n${commands}`;
}

function lockedWords({ locked, disputeFile }: PromptParts): string | null {
  if (locked.length === 0) return null;
  return `The tests in these files were written for this task before you. Make them pass, and leave the files exactly as they are:\n\n${list(locked)}\n\nIf you are sure that one of them is wrong, that is to say that it contradicts the task or cannot pass, write why to the file ${disputeFile} and end. It goes back to who wrote it then.`;
}

function reworkWords(parts: PromptParts, { failure, points, patch }: Rework): string {
  return sections([
    "## It was worked on before",
    whatHappened(failure),
    pointWords(points),
    patchWords(patch),
    soFar(parts),
  ]);
}

type Rework = NonNullable<PromptParts["rework"]>;

function soFar({ base }: PromptParts): string {
  return `\`git diff ${base}\` shows what was done for this task so far, as far as it could be kept.`;
}

/** What the one who goes on has to know of how it ended. */
function whatHappened(failure: ReworkReason): string {
  return stories[failure] ?? "The work was interrupted before it was done. Go on where it stopped.";
}

const stories: Partial<Record<ReworkReason, string>> = {
  person: "A person looked at the work and sent it back. Mend every point below.",
  verify: "The verify commands were run on the work and failed. Mend it; their output is below.",
  rules: "The work changes something that this task may not change. Undo that, and keep the rest.",
  judge: "The work was judged and is not good enough. Mend every point below.",
  conflict:
    "Others changed the same places meanwhile. Bring the work to the state of the workspace as it is now.",
  no_change:
    "The work ended without any change of a file. Do the task; if you think that nothing is to be done, look again at what it asks for.",
  dispute: "A test was said to be wrong. What was said of it is below.",
  max_turns: "You had used all your turns. Go on where you were, and come to an end.",
  timeout: "The time was over. Go on where you were, and come to an end.",
  idle: "Nothing happened for a long time, and the work was ended. Do not start commands that wait for input or never end.",
  malformed: "The last answer did not have the form that was asked for.",
};

function pointWords(points: readonly ReworkPoint[]): string | null {
  if (points.length === 0) return null;
  return points.map((point) => `- ${placeOf(point)}${point.text.replaceAll("\n", "\n  ")}`).join("\n");
}

function patchWords(patch: string | null): string | null {
  return patch && `What was done before could not be kept in the workspace. It was this:\n\n${quoted(patch)}`;
}

function placeOf({ by, file, line }: ReworkPoint): string {
  if (file === null) return `(${by}) `;
  return line === null ? `(${by}) ${file}: ` : `(${by}) ${file}:${line}: `;
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

/** So that nothing in it looks like a part of what we say. */
function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function sections(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== "").join("\n\n");
}
