import {
  ChevronRight,
  FilePen,
  FileSearch,
  Globe,
  ListChecks,
  type LucideIcon,
  Search,
  SquareTerminal,
  Wrench,
} from "lucide-react";
import { Ansi } from "../../../parts/ansi.tsx";
import { classes } from "../../../parts/classes.ts";
import { StateIcon } from "../../../parts/state-icon.tsx";
import { clockTime } from "../../../parts/time.tsx";
import { words } from "../../../words/words.ts";
import type { Row } from "./rows.ts";

const icons: Readonly<Record<string, LucideIcon>> = {
  command: SquareTerminal,
  edit: FilePen,
  read: FileSearch,
  search: Search,
  web: Globe,
  plan: ListChecks,
};

interface TranscriptRowProps {
  row: Row;
  search: string;
  onToggle(seq: number): void;
}

export function TranscriptRow({ row, search, onToggle }: TranscriptRowProps) {
  switch (row.kind) {
    case "say":
      return (
        <p
          className={classes("min-h-5.5 px-4 text-base break-words whitespace-pre-wrap", row.first && "pt-3")}
        >
          <Ansi text={row.text} search={search} />
        </p>
      );
    case "person":
      return (
        <div
          className={classes(
            "mx-4 border-l-2 border-brand bg-sunken px-3 text-base break-words whitespace-pre-wrap",
            row.first && "mt-3 pt-2",
            row.last && "pb-2",
          )}
        >
          {row.first && (
            <p className="mb-0.5 flex gap-2 text-xs font-medium text-brand-text">
              {words.run.person}
              <span className="numbers font-normal text-faint">{clockTime(row.at)}</span>
            </p>
          )}
          <p>
            <Ansi text={row.text} search={search} />
          </p>
        </div>
      );
    case "think":
      return (
        <p className={classes("px-4 text-faint italic break-words whitespace-pre-wrap", row.first && "pt-3")}>
          <Ansi text={row.text} search={search} />
        </p>
      );
    case "tool":
      return <ToolLine row={row} onToggle={onToggle} />;
    case "output":
      return (
        <pre
          className={classes(
            "mr-4 ml-9 min-h-5 overflow-x-auto border-l-2 border-line bg-sunken px-3 font-mono text-xs/5 whitespace-pre-wrap break-words",
            row.part === "input" && "text-faint",
          )}
        >
          <Ansi text={row.text} search={search} />
        </pre>
      );
    case "raw":
      return (
        <pre className="px-4 font-mono text-xs/5 break-words whitespace-pre-wrap text-soft">
          <Ansi text={row.text} search={search} />
        </pre>
      );
    case "mark":
      return (
        <p
          className={classes(
            "flex gap-2 px-4 py-1.5 text-xs",
            row.tone === "plain" && "text-faint",
            row.tone === "good" && "text-done",
            row.tone === "bad" && "text-failed",
          )}
        >
          <span className="numbers">{clockTime(row.at)}</span>
          <span className="min-w-0 break-words">{row.text}</span>
        </p>
      );
  }
}

function ToolLine({
  row: { call, result, open },
  onToggle,
}: {
  row: Extract<Row, { kind: "tool" }>;
  onToggle: (seq: number) => void;
}) {
  const Icon = icons[call.kind] ?? Wrench;
  return (
    <div className="px-2 pt-1">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => onToggle(call.seq)}
        className="flex w-full items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover"
      >
        <ChevronRight
          aria-hidden
          className={classes("size-3 shrink-0 text-faint transition-transform", open && "rotate-90")}
        />
        <Icon aria-hidden className="size-3.5 shrink-0 text-faint" />
        <span className="shrink-0 text-xs font-medium">{call.tool}</span>
        <code className="min-w-0 flex-1 truncate font-mono text-xs text-soft">{call.summary}</code>
        {result?.exitCode != null && result.exitCode !== 0 && (
          <span className="text-xs text-failed">{words.run.exit(result.exitCode)}</span>
        )}
        <StateIcon tone={toneOfCall(result)} className="size-3" />
      </button>
    </div>
  );
}

function toneOfCall(result: { ok: boolean } | undefined) {
  if (result === undefined) return "running";
  return result.ok ? "done" : "failed";
}
