import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { pageGroups, type ShellPage } from "./pages.ts";

/** After g, for so long the next key is a page's. */
const secondKeyMs = 1_000;

interface ShortcutsOptions {
  onCommand(): void;
  onList(): void;
}

/** Ctrl K opens the command menu; g and a letter go to a page, n begins a loop, ? lists them. Not while somebody writes. */
export function useShortcuts({ onCommand, onList }: ShortcutsOptions): void {
  const navigate = useNavigate();
  useEffect(() => {
    let pressed = 0;
    const onLetter = (key: string) => {
      if (key === "g") {
        pressed = performance.now();
        return;
      }
      const after = performance.now() - pressed < secondKeyMs;
      pressed = 0;
      const to = after ? pageOf(key) : { n: "/loops/new" as const }[key];
      if (to) void navigate({ to });
      else if (key === "?") onList();
    };
    const onKey = (event: KeyboardEvent) => {
      if (isCommandKey(event)) {
        event.preventDefault();
        onCommand();
      } else if (!event.altKey && !hasControl(event) && !isWriting(event.target)) onLetter(event.key);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [navigate, onCommand, onList]);
}

function pageOf(letter: string): ShellPage["to"] | undefined {
  return pageGroups.flatMap(({ pages }) => pages).find(({ key }) => key === letter)?.to;
}

function hasControl({ ctrlKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey;
}

function isCommandKey(event: KeyboardEvent): boolean {
  return hasControl(event) && event.key.toLowerCase() === "k";
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select, .xterm *, [role=dialog] *");
}
