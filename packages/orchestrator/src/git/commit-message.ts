import { printable } from "@opentiger/sandbox";

export interface CommitMessage {
  title: string;
  loop: string;
  /** Numbers of the tasks whose work it holds. */
  tasks: readonly number[];
  run: string;
}

/** One line, a blank one, and the trailers by which a commit is found again. A title cannot add trailers of its own. */
export function commitMessage({ title, loop, tasks, run }: CommitMessage): string {
  const trailers = [
    `OpenTiger-Loop: ${loop}`,
    ...tasks.map((number) => `OpenTiger-Task: ${number}`),
    `OpenTiger-Run: ${run}`,
  ];
  return `${printable(title, 200) || "Untitled"}\n\n${trailers.join("\n")}\n`;
}
