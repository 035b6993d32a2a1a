import { OrchestratorError } from "../errors.ts";
import { checkedOid } from "./oid.ts";
import type { OwnGit } from "./own-git.ts";
import { pathOf } from "./path-bytes.ts";
import { records } from "./records.ts";

/** What git's comparison of two trees says of one path. */
export interface RawChange {
  path: string;
  /** A, M, D or T. */
  status: string;
  oldMode: string | null;
  newMode: string | null;
  oldOid: string | null;
  newOid: string | null;
}

/** Far more than anybody judges; what is beyond would only fill the memory. */
const mostChanges = 100_000;

/** From one commit or tree to another, without guessing at renames. */
export async function* rawChanges(own: OwnGit, from: string, to: string): AsyncGenerator<RawChange, void> {
  const args = [
    "diff-tree",
    "-r",
    "-z",
    "--raw",
    "--no-renames",
    "--no-abbrev",
    checkedOid(from),
    checkedOid(to),
  ];
  let facts: Omit<RawChange, "path"> | undefined;
  let count = 0;
  for await (const record of records(own.stream(args))) {
    if (!facts) {
      facts = factsOf(record.toString("latin1"));
      continue;
    }
    count += 1;
    if (count > mostChanges) throw tooMany();
    yield { path: pathOf(record), ...facts };
    facts = undefined;
  }
}

/** `:100644 100755 OLD NEW M` */
function factsOf(text: string): Omit<RawChange, "path"> {
  const [oldMode = "", newMode = "", oldOid = "", newOid = "", status = ""] = text.slice(1).split(" ");
  const isNew = oldMode === "000000";
  const isGone = newMode === "000000";
  return {
    status,
    oldMode: isNew ? null : oldMode,
    newMode: isGone ? null : newMode,
    oldOid: isNew ? null : oldOid,
    newOid: isGone ? null : newOid,
  };
}

function tooMany(): OrchestratorError {
  return new OrchestratorError("commits_refused", `more than ${mostChanges} files differ`, {
    remedy: "have generated files ignored by git, and split the task",
  });
}
