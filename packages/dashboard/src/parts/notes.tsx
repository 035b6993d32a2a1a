import type { Tone } from "@opentiger/schema";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { failureOf } from "../api/failure.ts";
import { words } from "../words/words.ts";
import { Button } from "./button.tsx";
import { StateIcon } from "./state-icon.tsx";

/** Nothing is here yet: what would be, and how it comes about. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center rounded-md border border-dashed border-line-strong px-6 py-14 text-center">
      <span className="mb-4 grid size-10 place-items-center rounded-md border border-line bg-surface shadow-raised">
        <Icon aria-hidden className="size-5 text-brand-text" strokeWidth={1.75} />
      </span>
      <p className="text-base font-semibold">{title}</p>
      {children && <div className="mt-1 max-w-110 text-sm text-soft">{children}</div>}
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** What went wrong, and what mends it. */
export function ErrorNote({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, remedy, code } = failureOf(error);
  return (
    <Note tone="failed" title={message} live>
      {remedy && <Remedy text={remedy} />}
      <div className="mt-2 flex items-center gap-3">
        {retry && <Button onClick={retry}>{words.common.again}</Button>}
        <code className="font-mono text-xs text-faint">{code}</code>
      </div>
    </Note>
  );
}

/** Something to know, in the colour of a state. */
export function Note({
  tone,
  title,
  children,
  live,
}: {
  tone: Tone;
  title: string;
  children?: ReactNode;
  live?: boolean;
}) {
  return (
    <div
      role={live ? "alert" : undefined}
      className="flex gap-3 rounded-md border border-line bg-surface p-4 shadow-raised"
    >
      <StateIcon tone={tone} className="mt-0.5 size-4" />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{title}</p>
        {children && <div className="mt-1 text-soft">{children}</div>}
      </div>
    </div>
  );
}

/** What stands in backquotes is a command. */
export function Remedy({ text }: { text: string }) {
  const parts = text.split(/`([^`]+)`/);
  return (
    <p className="break-words">
      {parts.map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <code key={part} className="rounded-md bg-sunken px-1 py-0.5 font-mono text-xs text-ink">
            {part}
          </code>
        ),
      )}
    </p>
  );
}

/** Something is being read. Seen only after a moment, so that what is quick does not flicker. */
export function Loading() {
  return (
    <div
      role="status"
      aria-busy
      className="appearing flex items-center gap-2 py-8 text-faint [animation-delay:200ms]"
    >
      <span className="turning size-4 rounded-full border-2 border-current border-t-transparent" />
      {words.common.loading}…
    </div>
  );
}
