import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { pageGroups } from "./pages.ts";

/** After g, for so long the next key is a page's. */
const secondKeyMs = 1_000;

/** Ctrl K opens the command menu; g and a letter go to a page, n begins a loop. Not while somebody writes. */
export function useShortcuts({ onCommand }: { onCommand: () => void }): void {
  const navigate = useNavigate();
  useEffect(() => {
    let pressed = 0;
    const onKey = (event: KeyboardEvent) => {
      if (isCommandKey(event)) {
        event.preventDefault();
        onCommand();
        return;
      }
      if (event.altKey || hasControl(event) || isWriting(event.target)) return;
      if (event.key === "g") {
        pressed = performance.now();
        return;
      }
      const after = performance.now() - pressed < secondKeyMs;
      pressed = 0;
      const page = after ? allPages.find(({ key }) => key === event.key) : undefined;
      if (page) void navigate({ to: page.to });
      else if (!after && event.key === "n") void navigate({ to: "/loops/new" });
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [navigate, onCommand]);
}

const allPages = pageGroups.flatMap(({ pages }) => pages);

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
