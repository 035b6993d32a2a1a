import { Pause, Play, RotateCcw, Undo2, X } from "lucide-react";
import { useState } from "react";
import { moveTask, type TaskVerb } from "../../api/tasks.ts";
import type { Task } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";
import { SendBackDialog } from "./send-back-dialog.tsx";

const text = words.task;
const said: Readonly<Record<TaskVerb, string>> = {
  retry: text.retried,
  cancel: text.cancelled,
  pause: text.paused,
  resume: text.resumed,
};

/** In which states each may be asked for; the same as the table of docs/state-model.md. */
const pausable = ["queued", "blocked(quota_wait)", "blocked(needs_rework)"];
const ended = ["done", "failed", "cancelled"];

/** Work that a person may send back, in a state in which that can be done. An agent at work is sent a message. */
function hasWorkToSendBack({ state, rework, candidateOid }: Task): boolean {
  const work = rework ? rework.from : candidateOid;
  const able = ["blocked(awaiting_judge)", "blocked(needs_rework)", "failed", "done"].includes(state);
  return able && work !== null;
}

export function TaskActions({ task }: { task: Task }) {
  const [asked, setAsked] = useState(false);
  const [sending, setSending] = useState(false);
  const move = useAction(async (verb: TaskVerb) => {
    await moveTask(task.id, verb);
    setAsked(false);
    say(said[verb]);
  });
  const { state } = task;
  return (
    <>
      {(state === "failed" || state === "cancelled") && (
        <Button look="primary" icon={RotateCcw} busy={move.isPending} onClick={() => move.mutate("retry")}>
          {text.retry}
        </Button>
      )}
      {pausable.includes(state) && (
        <Button icon={Pause} busy={move.isPending} onClick={() => move.mutate("pause")}>
          {text.pause}
        </Button>
      )}
      {state === "blocked(paused)" && (
        <Button look="primary" icon={Play} busy={move.isPending} onClick={() => move.mutate("resume")}>
          {text.resume}
        </Button>
      )}
      {hasWorkToSendBack(task) && (
        <Button icon={Undo2} onClick={() => setSending(true)}>
          {text.sendBack}
        </Button>
      )}
      {!ended.includes(state) && (
        <Button look="danger" icon={X} onClick={() => setAsked(true)}>
          {text.cancel}
        </Button>
      )}
      <SendBackDialog task={task} open={sending} onClose={() => setSending(false)} />
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={text.cancelTitle}
        lead={text.cancelLead}
        confirm={text.cancel}
        busy={move.isPending}
        onConfirm={() => move.mutate("cancel")}
      />
    </>
  );
}
