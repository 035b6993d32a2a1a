import { useNavigate } from "@tanstack/react-router";
import { Play, Save, Square, Trash2 } from "lucide-react";
import { useState } from "react";
import { moveSandbox, removeSandbox, type SandboxItem } from "../../api/sandboxes.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Check } from "../../parts/field.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";
import { SaveTemplate } from "./save-template.tsx";
import { environmentOf, stopKey } from "./use-sandbox.ts";

const { sandboxes: text } = words;

/** Stop, start, save and remove. */
export function SandboxActions({ sandbox }: { sandbox: SandboxItem }) {
  const { name, status } = sandbox;
  const environment = environmentOf(sandbox);
  const [open, setOpen] = useState<"save" | "remove">();
  const stop = useAction(() => moveSandbox(name, environment, "stop"), {
    done: text.stopped,
    key: stopKey(name),
  });
  const verb = status === "paused" ? "resume" : "start";
  const start = useAction(() => moveSandbox(name, environment, verb), { done: text.started });
  return (
    <>
      {status === "running" ? (
        <Button icon={Square} busy={stop.isPending} onClick={() => stop.mutate()}>
          {text.stop}
        </Button>
      ) : (
        <Button icon={Play} look="primary" busy={start.isPending} onClick={() => start.mutate()}>
          {verb === "resume" ? text.resume : text.start}
        </Button>
      )}
      {environment === "sandbox" && (
        <Button icon={Save} onClick={() => setOpen("save")}>
          {text.save}
        </Button>
      )}
      <Button icon={Trash2} look="danger" onClick={() => setOpen("remove")}>
        {text.remove}
      </Button>
      {open === "save" && <SaveTemplate sandbox={sandbox} onClose={() => setOpen(undefined)} />}
      {open === "remove" && <Remove sandbox={sandbox} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function Remove({ sandbox, onClose }: { sandbox: SandboxItem; onClose: () => void }) {
  const { name, workspaceKind } = sandbox;
  const [force, setForce] = useState(false);
  const navigate = useNavigate();
  const remove = useAction(() => removeSandbox(name, environmentOf(sandbox), force), {
    onDone: () => {
      say(text.removed(name));
      void navigate({ to: "/sandboxes" });
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.removeTitle(name)}
      lead={text.removeLead}
      actions={
        <>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button look="danger" icon={Trash2} busy={remove.isPending} onClick={() => remove.mutate()}>
            {text.remove}
          </Button>
        </>
      }
    >
      {workspaceKind === "clone" && (
        <Check
          label={text.removeForce}
          hint={text.removeForceHint}
          checked={force}
          onChange={(event) => setForce(event.target.checked)}
        />
      )}
    </Dialog>
  );
}
