import { useQuery } from "@tanstack/react-query";
import { FileDiff } from "lucide-react";
import { failureOf } from "../../../api/failure.ts";
import { diffQuery } from "../../../api/runs.ts";
import { EmptyState } from "../../../parts/notes.tsx";
import { QueryView } from "../../../parts/query-view.tsx";
import { words } from "../../../words/words.ts";
import { DiffFileView } from "./diff-file.tsx";
import { readDiff } from "./read-diff.ts";

const text = words.run;

/** What the agent changed, file by file. */
export function DiffView({ run }: { run: string }) {
  const diff = useQuery(diffQuery(run));
  const missing = diff.error && failureOf(diff.error).status === 404;
  if (missing) return <NoDiff />;
  return (
    <QueryView query={diff}>
      {(patch) => {
        const files = readDiff(patch);
        if (files.length === 0) return <NoDiff />;
        const sum = (of: "added" | "removed") => files.reduce((total, file) => total + file[of], 0);
        return (
          <>
            <p className="numbers mb-3 flex gap-3 text-soft">
              {text.files(files.length)}
              <span className="text-done">+{sum("added")}</span>
              <span className="text-failed">−{sum("removed")}</span>
            </p>
            {files.map((file) => (
              <DiffFileView key={file.path} file={file} open={files.length <= 30} />
            ))}
          </>
        );
      }}
    </QueryView>
  );
}

function NoDiff() {
  return (
    <EmptyState icon={FileDiff} title={text.noDiff}>
      {text.noDiffHint}
    </EmptyState>
  );
}
