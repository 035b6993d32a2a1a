import { X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { failureOf } from "../api/failure.ts";
import { words } from "../words/words.ts";
import { Button } from "./button.tsx";
import { Remedy } from "./notes.tsx";
import { StateIcon } from "./state-icon.tsx";

interface Toast {
  id: number;
  tone: "done" | "failed";
  text: string;
  remedy?: string | undefined;
}

/** What went well is read at a glance; what did not has to be acted on. */
const showMs = { done: 5_000, failed: 15_000 } as const;
const most = 4;

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

/** Says that something was done. */
export function say(text: string): void {
  add({ tone: "done", text });
}

/** Says why something was not done, and what mends it. */
export function sayFailure(error: unknown): void {
  const { message, remedy } = failureOf(error);
  add({ tone: "failed", text: message, remedy });
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <section
      aria-live="polite"
      aria-label={words.shell.notifications}
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, tone, text, remedy }) => (
        <div
          key={id}
          className="appearing pointer-events-auto flex w-full max-w-100 gap-3 rounded-md border border-line-strong bg-surface p-3 shadow-over"
        >
          <StateIcon tone={tone} className="mt-0.75" />
          <div className="min-w-0 flex-1">
            <p className="font-medium break-words">{text}</p>
            {remedy && (
              <div className="mt-0.5 text-soft">
                <Remedy text={remedy} />
              </div>
            )}
          </div>
          <Button
            look="quiet"
            icon={X}
            label={words.shell.dismiss}
            className="-mt-1.5 -mr-1.5"
            onClick={() => remove(id)}
          />
        </div>
      ))}
    </section>
  );
}

function add(toast: Omit<Toast, "id">): void {
  last += 1;
  const id = last;
  set([...toasts, { ...toast, id }].slice(-most));
  setTimeout(() => remove(id), showMs[toast.tone]);
}

function remove(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}
