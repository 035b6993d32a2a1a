import { readPatch } from "@opentiger/schema";
import { useQuery } from "@tanstack/react-query";
import { FileDiff } from "lucide-react";
import { useState } from "react";
import { failureOf } from "../../../api/failure.ts";
import { diffQuery } from "../../../api/runs.ts";
import { taskQuery } from "../../../api/tasks.ts";
import type { Run, Task } from "../../../api/types.ts";
import { EmptyState } from "../../../parts/notes.tsx";
import { QueryView } from "../../../parts/query-view.tsx";
import { words } from "../../../words/words.ts";
import { CommentDialog } from "./comment-dialog.tsx";
import { DiffFileView } from "./diff-file.tsx";
import { type PendingComment, usePendingComments } from "./pending-comments.ts";
import { SendBackPanel } from "./send-back-panel.tsx";

const text = words.run;

/** What the agent changed, file by file; where it is the task's latest work, with comments to send back. */
export function DiffView({ run }: { run: Run }) {
  const diff = useQuery(diffQuery(run.id));
  const { data: task } = useQuery({ ...taskQuery(run.task ?? ""), enabled: run.task !== null });
  const comments = usePendingComments(run.id);
  const [writing, setWriting] = useState<PendingComment>();
  const missing = diff.error && failureOf(diff.error).status === 404;
  if (missing) return <NoDiff />;
  const begin = (path: string, line: number): void => {
    const before = comments.items.find((item) => item.path === path && item.line === line);
    setWriting(before ?? { path, line, text: "" });
  };
  const open = task && canBeSentBack(task, run);
  return (
    <QueryView query={diff}>
      {(patch) => {
        const files = readPatch(patch);
        if (files.length === 0) return <NoDiff />;
        const sum = (of: "added" | "removed") => files.reduce((total, file) => total + file[of], 0);
        return (
          <>
            <p className="numbers mb-3 flex gap-3 text-soft">
              {text.files(files.length)}
              <span className="text-done">+{sum("added")}</span>
              <span className="text-failed">−{sum("removed")}</span>
            </p>
            {open && <SendBackPanel task={task} comments={comments} onChange={setWriting} />}
            {!open && comments.items.length > 0 && <p className="mb-3 text-soft">{text.notNow}</p>}
            {files.map((file) => (
              <DiffFileView
                key={file.path}
                file={file}
                open={files.length <= 30}
                onComment={open ? (line) => begin(file.path, line) : undefined}
                commented={
                  new Set(comments.items.flatMap(({ path, line }) => (path === file.path ? [line] : [])))
                }
              />
            ))}
            {writing && (
              <CommentDialog
                comment={writing}
                onClose={() => setWriting(undefined)}
                onPut={(comment) => comments.put(comment)}
              />
            )}
          </>
        );
      }}
    </QueryView>
  );
}

const sendable: readonly Task["state"][] = [
  "running",
  "blocked(awaiting_judge)",
  "blocked(needs_rework)",
  "failed",
  "done",
];

/** Its candidate is what the task stands at: lines of another one are not those that the agent would find. */
function canBeSentBack({ state, rework, candidateOid }: Task, run: Run): boolean {
  const work = rework ? rework.from : candidateOid;
  return sendable.includes(state) && work !== null && run.candidateOid === work && run.role !== "judge";
}

function NoDiff() {
  return (
    <EmptyState icon={FileDiff} title={text.noDiff}>
      {text.noDiffHint}
    </EmptyState>
  );
}
