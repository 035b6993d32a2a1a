import { longestMessage } from "@opentiger/schema";
import { useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Field, TextArea } from "../../../parts/field.tsx";
import { words } from "../../../words/words.ts";
import type { PendingComment } from "./pending-comments.ts";

const text = words.run;

interface CommentDialogProps {
  /** The one that is written; its text is what was there before. */
  comment: PendingComment;
  onClose(): void;
  onPut(comment: PendingComment): void;
}

export function CommentDialog({ comment, onClose, onPut }: CommentDialogProps) {
  const [written, setWritten] = useState(comment.text);
  const put = (): void => {
    onPut({ ...comment, text: written });
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.commentOn(comment.path, comment.line)}
      actions={
        <Button look="primary" disabled={written.trim() === ""} onClick={put}>
          {text.addComment}
        </Button>
      }
    >
      <Field label={text.commentLabel}>
        {(ids) => (
          <TextArea
            {...ids}
            rows={4}
            maxLength={longestMessage}
            value={written}
            onChange={(event) => setWritten(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && written.trim() !== "") put();
            }}
          />
        )}
      </Field>
    </Dialog>
  );
}
