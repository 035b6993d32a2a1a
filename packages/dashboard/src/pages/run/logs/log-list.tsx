import { useQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { artifactsQuery, artifactTextQuery } from "../../../api/runs.ts";
import { Ansi } from "../../../parts/ansi.tsx";
import { EmptyState } from "../../../parts/notes.tsx";
import { bytes } from "../../../parts/numbers.tsx";
import { Card, Section } from "../../../parts/page.tsx";
import { QueryView } from "../../../parts/query-view.tsx";
import { words } from "../../../words/words.ts";

const text = words.run;

/** Those that are shown elsewhere. */
const elsewhere = ["diff", "transcript"];

/** What the checks printed, and what else is kept of it. */
export function LogList({ run }: { run: string }) {
  const artifacts = useQuery(artifactsQuery(run));
  return (
    <QueryView query={artifacts}>
      {({ items }) => {
        const logs = items.filter(({ kind }) => !elsewhere.includes(kind));
        if (logs.length === 0) {
          return (
            <EmptyState icon={FileText} title={text.noLogs}>
              {text.noLogsHint}
            </EmptyState>
          );
        }
        return logs.map(({ id, kind, bytes: size }) => (
          <Section key={id} title={text.logOf(kind, bytes(size))}>
            <Log run={run} artifact={id} />
          </Section>
        ));
      }}
    </QueryView>
  );
}

function Log({ run, artifact }: { run: string; artifact: number }) {
  const log = useQuery(artifactTextQuery(run, artifact));
  return (
    <QueryView query={log}>
      {(written) => (
        <Card>
          <pre className="max-h-[60vh] overflow-auto p-4 font-mono text-xs/5 break-words whitespace-pre-wrap">
            <Ansi text={written} />
          </pre>
        </Card>
      )}
    </QueryView>
  );
}
