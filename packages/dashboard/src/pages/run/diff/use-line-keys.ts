import type { PatchLine } from "@opentiger/schema";
import { type KeyboardEvent, useState } from "react";
import { words } from "../../../words/words.ts";

interface LineKeysOptions {
  /** Absent where nothing can be said of a line: then the keys scroll, as they always do. */
  onComment?: ((line: number) => void) | undefined;
  /** Brings the line of this index into sight. */
  show(index: number): void;
}

/** Lets the keyboard go through the lines that can be commented on, one with each arrow, and choose one with Enter. */
export function useLineKeys(lines: readonly PatchLine[], { onComment, show }: LineKeysOptions) {
  const [active, setActive] = useState<number | null>(null);
  const line = active === null ? undefined : lines[active];
  const move = (step: 1 | -1): void => {
    const next = nextLine(lines, active ?? (step === 1 ? -1 : lines.length), step);
    if (next === undefined) return;
    setActive(next);
    show(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!onComment || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && line?.newNumber != null) onComment(line.newNumber);
    else return;
    event.preventDefault();
  };
  const told = line?.newNumber == null ? "" : `${words.run.comment(line.newNumber)}: ${line.text}`;
  return { active, told, onKeyDown };
}

/** What was removed has no line in the new file. */
function nextLine(lines: readonly PatchLine[], from: number, step: 1 | -1): number | undefined {
  for (let index = from + step; index >= 0 && index < lines.length; index += step)
    if (lines[index]?.newNumber != null) return index;
  return undefined;
}
