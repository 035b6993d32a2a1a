import { longestMessage } from "@opentiger/schema";
import { useNavigate } from "@tanstack/react-router";
import { Pencil, Undo2, X } from "lucide-react";
import { useState } from "react";
import { sendBack } from "../../../api/tasks.ts";
import type { Task } from "../../../api/types.ts";
import { Button } from "../../../parts/button.tsx";
import { Field, TextArea } from "../../../parts/field.tsx";
import { Card } from "../../../parts/page.tsx";
import { say } from "../../../parts/toast.tsx";
import { useAction } from "../../../parts/use-action.ts";
import { useRequestKey } from "../../../parts/use-request-key.ts";
import { words } from "../../../words/words.ts";
import type { PendingComment, PendingComments } from "./pending-comments.ts";

const text = words.run;

interface SendBackPanelProps {
  task: Task;
  comments: PendingComments;
  onChange(comment: PendingComment): void;
}

/** The comments that wait to be sent, a word in general, and the one button. What was refused stays. */
export function SendBackPanel({ task, comments, onChange }: SendBackPanelProps) {
  const [message, setMessage] = useState("");
  const navigate = useNavigate();
  const { items } = comments;
  const asked = { ...(message.trim() === "" ? {} : { message }), comments: [...items] };
  const key = useRequestKey(asked);
  const send = useAction(() => sendBack(task.id, asked, key), {
    onDone: ({ became, task: now }) => {
      say(words.task.became[became]);
      comments.clear();
      setMessage("");
      void navigate({ to: "/tasks/$id", params: { id: now.id } });
    },
  });
  return (
    <Card className="mb-4 p-4">
      {items.length === 0 ? (
        <p className="mb-3 text-xs text-faint">{text.commentHint}</p>
      ) : (
        <>
          <h2 className="mb-2 text-sm font-medium">{text.pending(items.length)}</h2>
          <ul className="mb-3 divide-y divide-line border-y border-line">
            {items.map((comment) => (
              <Pending
                key={`${comment.path}:${comment.line}`}
                comment={comment}
                onChange={() => onChange(comment)}
                onRemove={() => comments.put({ ...comment, text: "" })}
              />
            ))}
          </ul>
        </>
      )}
      <Field label={text.overall}>
        {(ids) => (
          <div className="flex items-end gap-2">
            <TextArea
              {...ids}
              rows={1}
              maxLength={longestMessage}
              placeholder={text.overallPlaceholder}
              value={message}
              onChange={(event) => setMessage(event.target.value)}
            />
            <Button
              look="primary"
              icon={Undo2}
              busy={send.isPending}
              disabled={items.length === 0 && message.trim() === ""}
              onClick={() => send.mutate()}
            >
              {words.task.sendBack}
            </Button>
          </div>
        )}
      </Field>
    </Card>
  );
}

interface PendingProps {
  comment: PendingComment;
  onChange(): void;
  onRemove(): void;
}

function Pending({ comment: { path, line, text: said }, onChange, onRemove }: PendingProps) {
  return (
    <li className="flex items-start gap-2 py-2">
      <div className="min-w-0 flex-1">
        <code className="font-mono text-xs break-all text-faint">
          {path}:{line}
        </code>
        <p className="break-words whitespace-pre-wrap">{said}</p>
      </div>
      <Button look="quiet" icon={Pencil} label={text.changeComment(path, line)} onClick={onChange} />
      <Button look="quiet" icon={X} label={text.removeComment(path, line)} onClick={onRemove} />
    </li>
  );
}
