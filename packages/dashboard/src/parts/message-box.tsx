import { longestMessage } from "@opentiger/schema";
import { SendHorizontal } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { sendMessage } from "../api/tasks.ts";
import { words } from "../words/words.ts";
import { Button } from "./button.tsx";
import { Field, TextArea } from "./field.tsx";
import { useAction } from "./use-action.ts";
import { useRequestKey } from "./use-request-key.ts";

const text = words.task;

/** Says something to the agent that works on a task. What was refused stays to be sent again. */
export function MessageBox({ task }: { task: string }) {
  const [written, setWritten] = useState("");
  const key = useRequestKey(written);
  const send = useAction(() => sendMessage(task, written, key), {
    done: text.sent,
    onDone: () => setWritten(""),
  });
  const isEmpty = written.trim() === "";
  const sendByKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || isEmpty || send.isPending) return;
    event.preventDefault();
    send.mutate();
  };
  return (
    <div className="mb-6">
      <Field label={text.say} hint={text.sayHint}>
        {(ids) => (
          <div className="flex items-end gap-2">
            <TextArea
              {...ids}
              rows={2}
              maxLength={longestMessage}
              placeholder={text.sayPlaceholder}
              value={written}
              onChange={(event) => setWritten(event.target.value)}
              onKeyDown={sendByKey}
            />
            <Button
              look="primary"
              icon={SendHorizontal}
              busy={send.isPending}
              disabled={isEmpty}
              onClick={() => send.mutate()}
            >
              {text.send}
            </Button>
          </div>
        )}
      </Field>
    </div>
  );
}
