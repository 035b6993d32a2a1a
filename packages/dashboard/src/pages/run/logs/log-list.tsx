import { useQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { artifactsQuery, artifactTextQuery } from "../../../api/runs.ts";
import { EmptyState } from "../../../parts/notes.tsx";
import { bytes } from "../../../parts/numbers.tsx";
import { Section } from "../../../parts/page.tsx";
import { QueryView } from "../../../parts/query-view.tsx";
import { SearchField } from "../../../parts/search-field.tsx";
import { words } from "../../../words/words.ts";
import { LogLines } from "./log-lines.tsx";

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
        return (
          <>
            <div className="mb-5 flex">
              <SearchField label={text.searchLogs} />
            </div>
            {logs.map(({ id, kind, bytes: size }) => (
              <Section key={id} title={text.logOf(kind, bytes(size))}>
                <Log run={run} artifact={id} name={kind} />
              </Section>
            ))}
          </>
        );
      }}
    </QueryView>
  );
}

function Log({ run, artifact, name }: { run: string; artifact: number; name: string }) {
  const log = useQuery(artifactTextQuery(run, artifact));
  return <QueryView query={log}>{(written) => <LogLines name={name} written={written} />}</QueryView>;
}
