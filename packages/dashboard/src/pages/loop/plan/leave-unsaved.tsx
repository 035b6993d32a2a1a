import { useBlocker } from "@tanstack/react-router";
import { Confirm } from "../../../parts/dialog.tsx";
import { words } from "../../../words/words.ts";

const text = words.loop.plan;

/** Asks before a page is left that has something unsaved. Its tabs are the same page. */
export function LeaveUnsaved({ unsaved }: { unsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => unsaved && current.pathname !== next.pathname,
    enableBeforeUnload: () => unsaved,
    withResolver: true,
  });
  return (
    <Confirm
      open={status === "blocked"}
      onClose={() => reset?.()}
      title={text.leaveTitle}
      lead={text.leaveLead}
      confirm={text.leave}
      onConfirm={() => proceed?.()}
    />
  );
}
