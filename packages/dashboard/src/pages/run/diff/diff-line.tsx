import type { PatchLine } from "@opentiger/schema";
import { MessageSquare, Plus } from "lucide-react";
import { classes } from "../../../parts/classes.ts";
import { writtenOut } from "../../../parts/written-out.ts";
import { words } from "../../../words/words.ts";
import { highlighted } from "./highlight.ts";

const backs = {
  added: "bg-done-tint",
  removed: "bg-failed-tint",
  hunk: "bg-sunken text-faint",
  same: "",
} as const;
const signs = { added: "+", removed: "−", hunk: "", same: "" } as const;

/** What a thing is, not all that highlight.js can tell. */
const scopes: Readonly<Record<string, string>> = {
  "hljs-keyword": "text-syntax-word",
  "hljs-built_in": "text-syntax-word",
  "hljs-literal": "text-syntax-word",
  "hljs-type": "text-syntax-word",
  "hljs-string": "text-syntax-text",
  "hljs-regexp": "text-syntax-text",
  "hljs-number": "text-syntax-number",
  "hljs-attr": "text-syntax-name",
  "hljs-property": "text-syntax-name",
  "hljs-comment": "text-syntax-aside italic",
  "hljs-title": "text-syntax-name",
  "hljs-section": "text-syntax-name font-semibold",
  "hljs-tag": "text-syntax-mark",
  "hljs-name": "text-syntax-word",
};

interface DiffLineProps {
  line: PatchLine;
  language: string;
  /** Absent where nothing can be said of it. */
  onComment?: ((line: number) => void) | undefined;
  /** Somebody has written something on it. */
  commented: boolean;
  /** It is where the keyboard is. */
  active: boolean;
}

export function DiffLineView({ line, language, onComment, commented, active }: DiffLineProps) {
  const text = writtenOut(line.text);
  return (
    <div
      className={classes(
        "group/line flex h-5 font-mono text-xs/5 whitespace-pre",
        backs[line.kind],
        active && "outline-2 -outline-offset-2 outline-brand",
      )}
    >
      <LineNumber value={line.oldNumber} />
      <LineNumber value={line.newNumber} />
      <span aria-hidden={onComment === undefined} className="w-4 shrink-0 text-center text-faint select-none">
        {onComment && line.newNumber !== null ? (
          <CommentButton
            line={line.newNumber}
            sign={signs[line.kind]}
            commented={commented}
            onComment={onComment}
          />
        ) : (
          <span aria-hidden>{signs[line.kind]}</span>
        )}
      </span>
      <code className="pr-4 font-mono">
        {language === "" || line.kind === "hunk" ? text : <Highlighted text={text} language={language} />}
      </code>
    </div>
  );
}

interface CommentButtonProps {
  line: number;
  sign: string;
  commented: boolean;
  onComment(line: number): void;
}

/** The sign of the line, under the mouse a button. With the keyboard the whole list of lines is one stop. */
function CommentButton({ line, sign, commented, onComment }: CommentButtonProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={words.run.comment(line)}
      title={words.run.comment(line)}
      onClick={() => onComment(line)}
      className="grid h-5 w-4 place-items-center rounded-sm hover:bg-ink hover:text-on-ink"
    >
      {commented ? (
        <MessageSquare aria-hidden className="size-3 text-brand-text" strokeWidth={2.5} />
      ) : (
        <>
          <span aria-hidden className="group-hover/line:hidden">
            {sign}
          </span>
          <Plus aria-hidden className="hidden size-3 group-hover/line:block" strokeWidth={2.5} />
        </>
      )}
    </button>
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
