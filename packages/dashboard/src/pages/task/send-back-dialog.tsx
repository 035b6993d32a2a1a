import { longestMessage } from "@opentiger/schema";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { sendBack } from "../../api/tasks.ts";
import type { Task } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, TextArea } from "../../parts/field.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useRequestKey } from "../../parts/use-request-key.ts";
import { words } from "../../words/words.ts";

const text = words.task;

/** Sends the work of a task back with a word in general. What was refused stays to be sent again. */
export function SendBackDialog({ task, open, onClose }: { task: Task; open: boolean; onClose: () => void }) {
  const [written, setWritten] = useState("");
  const navigate = useNavigate();
  const key = useRequestKey(written);
  const send = useAction(() => sendBack(task.id, { message: written }, key), {
    onDone: ({ became, task: now }) => {
      say(text.became[became]);
      setWritten("");
      onClose();
      if (now.id !== task.id) void navigate({ to: "/tasks/$id", params: { id: now.id } });
    },
  });
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={text.sendBackTitle}
      lead={task.state === "done" ? text.sendBackDone : text.sendBackLead}
      actions={
        <Button
          look="primary"
          busy={send.isPending}
          disabled={written.trim() === ""}
          onClick={() => send.mutate()}
        >
          {text.sendBack}
        </Button>
      }
    >
      <Field label={text.change}>
        {(ids) => (
          <TextArea
            {...ids}
            rows={5}
            maxLength={longestMessage}
            value={written}
            onChange={(event) => setWritten(event.target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}
