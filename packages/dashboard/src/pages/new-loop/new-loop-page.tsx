import { useNavigate, useSearch } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { type FormEvent, useState } from "react";
import { startLoop } from "../../api/loops.ts";
import { Button } from "../../parts/button.tsx";
import { Check, Field, TextArea } from "../../parts/field.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useRequestKey } from "../../parts/use-request-key.ts";
import { words } from "../../words/words.ts";
import { type Draft, emptyDraft, loopOf } from "./draft.ts";
import { LoopChoices } from "./loop-choices.tsx";
import { ModeChoice } from "./mode-choice.tsx";
import { RepositoryField } from "./repository-field.tsx";

const text = words.newLoop;

/** The form that starts a loop. Sent twice it starts one. */
export function NewLoopPage() {
  const { from } = useSearch({ from: "__root__" });
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, repository: from ?? "" });
  const [asked, setAsked] = useState(false);
  const key = useRequestKey(draft);
  const start = useAction(() => startLoop(loopOf(draft), key), {
    done: text.started,
    onDone: ({ id }) => void navigate({ to: "/loops/$id", params: { id } }),
  });
  const change = (more: Partial<Draft>) => setDraft((old) => ({ ...old, ...more }));
  const missing = {
    requirement: asked && draft.requirement.trim() === "" ? text.requirementNeeded : undefined,
    repository: asked && draft.repository.trim() === "" ? text.repositoryNeeded : undefined,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (draft.requirement.trim() !== "" && draft.repository.trim() !== "") start.mutate();
  };
  const stories = draft.mode === "stories";
  return (
    <Page title={text.title} lead={text.lead} crumbs={[{ label: words.loops.title, to: "/loops" }]}>
      <form onSubmit={submit} noValidate className="grid items-start gap-6 lg:grid-cols-[1fr_20rem]">
        <div className="flex flex-col gap-5">
          <Field
            label={stories ? text.stories : text.requirement}
            hint={stories ? text.storiesHint : text.requirementHint}
            error={missing.requirement}
          >
            {(ids) => (
              <TextArea
                {...ids}
                autoFocus
                rows={12}
                value={draft.requirement}
                placeholder={stories ? text.storiesPlaceholder : text.requirementPlaceholder}
                onChange={(event) => change({ requirement: event.target.value })}
                className={stories ? "font-mono" : "text-base"}
              />
            )}
          </Field>
          <ModeChoice mode={draft.mode} onMode={(mode) => change({ mode })} />
          <RepositoryField
            value={draft.repository}
            error={missing.repository}
            onChange={(repository) => change({ repository })}
          />
        </div>
        <Card className="flex flex-col gap-4 p-5">
          <h2 className="text-base font-semibold">{text.more}</h2>
          <LoopChoices draft={draft} onChange={change} />
          <Check
            label={text.approve}
            hint={text.approveHint}
            checked={draft.approve}
            onChange={(event) => change({ approve: event.target.checked })}
          />
          <Button type="submit" look="primary" icon={Play} busy={start.isPending}>
            {text.start}
          </Button>
        </Card>
      </form>
    </Page>
  );
}
