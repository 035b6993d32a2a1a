import { type SubmitEvent, useId, useState } from "react";
import { putSecret } from "../../api/secrets.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Input, TextArea } from "../../parts/field.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";

const { secrets: text } = words;

/** Names that openTiger itself looks for. */
const known = [
  "claude_setup_token",
  "codex_auth_json",
  "anthropic_api_key",
  "openai_api_key",
  "github_token",
];

interface PutSecretProps {
  /** undefined: a new one. */
  name: string | undefined;
  names: readonly string[];
  onClose(): void;
}

/** Takes a value and sends it. It stays in this form, is not kept by the browser, and goes with it. */
export function PutSecret({ name: given, names, onClose }: PutSecretProps) {
  const [name, setName] = useState(given ?? "");
  const [value, setValue] = useState("");
  const [day, setDay] = useState("");
  const form = useId();
  const list = useId();
  const put = useAction(putSecret, {
    onDone: (secret) => {
      say(text.saved(secret.name));
      onClose();
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    put.mutate({ name: name.trim(), value, expiresAt: day === "" ? undefined : `${day}T00:00:00.000Z` });
  };
  const taken = given === undefined && names.includes(name.trim());
  return (
    <Dialog
      open
      onClose={onClose}
      title={given === undefined ? text.add : text.replaceTitle(given)}
      lead={given === undefined ? text.addLead : text.replaceLead}
      actions={
        <>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button
            look="primary"
            type="submit"
            form={form}
            busy={put.isPending}
            disabled={name.trim() === "" || value === ""}
          >
            {words.common.save}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} autoComplete="off" className="flex flex-col gap-4">
        {given === undefined && (
          <Field label={text.name} hint={taken ? text.nameTaken : text.nameHint}>
            {(ids) => (
              <Input
                {...ids}
                list={list}
                value={name}
                onChange={(event) => setName(event.target.value)}
                className="font-mono"
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
        )}
        <datalist id={list}>
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <Field label={text.value} hint={text.valueHint}>
          {(ids) => (
            <TextArea
              {...ids}
              rows={4}
              value={value}
              onChange={(event) => setValue(event.target.value)}
              className="font-mono [-webkit-text-security:disc]"
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
        <Field label={text.expiresAt} hint={text.expiresHint}>
          {(ids) => (
            <Input
              {...ids}
              type="date"
              value={day}
              onChange={(event) => setDay(event.target.value)}
              className="max-w-50"
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
