import { classes } from "../../../parts/classes.ts";
import { highlighted } from "./highlight.ts";
import type { DiffLine } from "./read-diff.ts";

const backs = {
  added: "bg-done-tint",
  removed: "bg-failed-tint",
  hunk: "bg-sunken text-faint",
  same: "",
} as const;
const signs = { added: "+", removed: "−", hunk: "", same: "" } as const;

/** Few colours, of those that there are: what a thing is, not what highlight.js can tell. */
const scopes: Readonly<Record<string, string>> = {
  "hljs-keyword": "text-running",
  "hljs-built_in": "text-running",
  "hljs-literal": "text-running",
  "hljs-type": "text-running",
  "hljs-string": "text-done",
  "hljs-regexp": "text-done",
  "hljs-number": "text-blocked",
  "hljs-attr": "text-brand-text",
  "hljs-property": "text-brand-text",
  "hljs-comment": "text-faint italic",
  "hljs-title": "text-brand-text",
  "hljs-section": "text-brand-text font-semibold",
  "hljs-tag": "text-soft",
  "hljs-name": "text-running",
};

export function DiffLineView({ line, language }: { line: DiffLine; language: string }) {
  return (
    <div className={classes("flex h-5 font-mono text-xs/5 whitespace-pre", backs[line.kind])}>
      <LineNumber value={line.oldNumber} />
      <LineNumber value={line.newNumber} />
      <span aria-hidden className="w-4 shrink-0 text-center text-faint select-none">
        {signs[line.kind]}
      </span>
      <code className="pr-4 font-mono">
        {language === "" || line.kind === "hunk" ? (
          line.text
        ) : (
          <Highlighted text={line.text} language={language} />
        )}
      </code>
    </div>
  );
}

function LineNumber({ value }: { value: number | null }) {
  return <span className="numbers w-11 shrink-0 pr-2 text-right text-faint select-none">{value}</span>;
}

function Highlighted({ text, language }: { text: string; language: string }) {
  return highlighted(text, language).map(({ text: piece, scope }, index) => {
    const className = scopes[scope];
    return className === undefined ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line have no other name than their place
      <span key={index} className={className}>
        {piece}
      </span>
    );
  });
}
