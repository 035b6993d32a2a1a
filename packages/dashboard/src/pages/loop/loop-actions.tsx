import { Download, GitMerge, Pause, Play, RotateCcw, Trash2, X } from "lucide-react";
import { useState } from "react";
import { failureOf } from "../../api/failure.ts";
import {
  type GoingOn,
  goOnWithLoop,
  type LoopVerb,
  loopPatch,
  mergeLoop,
  moveLoop,
} from "../../api/loops.ts";
import type { Loop } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";
import { BudgetDialog } from "./budget-dialog.tsx";

const text = words.loop;
const said: Readonly<Record<LoopVerb, string>> = {
  pause: text.paused,
  cancel: text.cancelled,
  discard: text.discarded,
};
type Asked = "cancel" | "discard" | "merge";

/** What may be done with it in the state that it is in. */
export function LoopActions({ loop }: { loop: Loop }) {
  const [asked, setAsked] = useState<Asked>();
  const [wanting, setWanting] = useState<GoingOn>();
  const close = () => setAsked(undefined);
  const { id, state } = loop;
  const move = useAction(async (verb: LoopVerb) => {
    await moveLoop(id, verb);
    say(said[verb]);
    close();
  });
  const goOn = useAction(async (verb: GoingOn) => {
    try {
      await goOnWithLoop(id, verb);
      say(text.goneOn[verb]);
    } catch (error) {
      if (failureOf(error).code !== "loop_budget_used_up") throw error;
      setWanting(verb);
    }
  });
  const merge = useAction(() => mergeLoop(id), {
    onDone: (merged) => {
      if ("conflicts" in merged) return;
      say(text.merged(merged.into, merged.how));
      close();
    },
  });
  const patch = useAction(() => loopPatch(id), { onDone: (written) => saveFile(`${id}.patch`, written) });
  const open = loop.endedAt === null;
  const hasWork = loop.branch !== null && loop.branchOid !== null && loop.branchOid !== loop.baseOid;
  const conflicts = merge.data && "conflicts" in merge.data ? merge.data.conflicts : undefined;
  const canMerge = hasWork && (!open || state.startsWith("paused"));
  const goingOn = state.startsWith("paused") ? "resume" : "retry";
  const canGoOn = goingOn === "resume" || state === "failed";
  return (
    <>
      {canMerge && (
        <Button
          look={state === "done" ? "primary" : "plain"}
          icon={GitMerge}
          onClick={() => setAsked("merge")}
        >
          {text.merge}
        </Button>
      )}
      {hasWork && (
        <Button icon={Download} busy={patch.isPending} onClick={() => patch.mutate()}>
          {text.patch}
        </Button>
      )}
      {state === "running" && (
        <Button icon={Pause} busy={move.isPending} onClick={() => move.mutate("pause")}>
          {text.pause}
        </Button>
      )}
      {canGoOn && (
        <Button
          look="primary"
          icon={goingOn === "resume" ? Play : RotateCcw}
          busy={goOn.isPending}
          onClick={() => goOn.mutate(goingOn)}
        >
          {text.goingOn[goingOn]}
        </Button>
      )}
      {open && (
        <Button look="danger" icon={X} onClick={() => setAsked("cancel")}>
          {text.cancel}
        </Button>
      )}
      {!open && hasWork && (
        <Button look="danger" icon={Trash2} onClick={() => setAsked("discard")}>
          {text.discard}
        </Button>
      )}
      <Confirm
        open={asked === "cancel"}
        onClose={close}
        title={text.cancelTitle}
        lead={text.cancelLead}
        confirm={text.cancel}
        busy={move.isPending}
        onConfirm={() => move.mutate("cancel")}
      />
      <Confirm
        open={asked === "discard"}
        onClose={close}
        title={text.discardTitle}
        lead={text.discardLead}
        confirm={text.discard}
        busy={move.isPending}
        onConfirm={() => move.mutate("discard")}
      />
      <Confirm
        open={asked === "merge"}
        onClose={close}
        title={text.mergeTitle}
        lead={conflicts ? `${text.conflicts} ${conflicts.join(", ")}` : text.mergeLead(loop.branch ?? "")}
        confirm={text.merge}
        look="primary"
        busy={merge.isPending}
        onConfirm={() => merge.mutate()}
      />
      <BudgetDialog loop={loop} asked={wanting} onClose={() => setWanting(undefined)} />
    </>
  );
}
