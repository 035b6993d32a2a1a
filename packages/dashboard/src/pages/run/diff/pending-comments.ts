import { useState } from "react";

/** What a person wrote on a line of a diff, and has not sent yet. */
export interface PendingComment {
  path: string;
  line: number;
  text: string;
}

export interface PendingComments {
  items: readonly PendingComment[];
  /** A line has at most one; without words it has none. */
  put(comment: PendingComment): void;
  clear(): void;
}

/** They stay in this window until they are sent: whoever looks at another page in between finds them again. */
export function usePendingComments(run: string): PendingComments {
  const name = `comments ${run}`;
  const [items, setItems] = useState(() => read(name));
  const keep = (next: readonly PendingComment[]): void => {
    sessionStorage.setItem(name, JSON.stringify(next));
    setItems(next);
  };
  return {
    items,
    put: (comment) => {
      const others = items.filter(({ path, line }) => path !== comment.path || line !== comment.line);
      keep(comment.text.trim() === "" ? others : [...others, comment].toSorted(inOrder));
    },
    clear: () => keep([]),
  };
}

function inOrder(one: PendingComment, other: PendingComment): number {
  return one.path.localeCompare(other.path) || one.line - other.line;
}

function read(name: string): readonly PendingComment[] {
  const kept: unknown = JSON.parse(sessionStorage.getItem(name) ?? "[]");
  return Array.isArray(kept) ? kept.filter(isComment) : [];
}

function isComment(value: unknown): value is PendingComment {
  return typeof value === "object" && value !== null && "path" in value && "line" in value && "text" in value;
}
