import { UsageError } from "../errors.ts";

/** One side of a copy is in a sandbox, the other is ours (`-` being stdin or stdout). */
export interface CopyPlan {
  direction: "in" | "out";
  sandbox: string;
  inside: string;
  local: string;
}

export function readCopyPlan(from: string, to: string): CopyPlan {
  const source = insidePath(from);
  const target = insidePath(to);
  if (source && target) throw new UsageError("cp copies between you and one sandbox, not between two", both);
  if (source) return { direction: "out", ...source, local: to };
  if (target) return { direction: "in", ...target, local: from };
  throw new UsageError(
    "cp needs a sandbox on one side",
    "Write SANDBOX:PATH, for example my-sandbox:/tmp/report",
  );
}

const both = "Copy out first, then in, or pipe one into the other: cp a:/x - | cp - b:/";

/** `NAME:PATH`. What begins with / or . is ours, so that `./a:b` can be said. */
function insidePath(word: string): { sandbox: string; inside: string } | undefined {
  if (/^[./]/.test(word) || word === "-") return undefined;
  const colon = word.indexOf(":");
  if (colon <= 0) return undefined;
  return { sandbox: word.slice(0, colon), inside: word.slice(colon + 1) || "." };
}
