import type { PlannedTask } from "@opentiger/schema";
import { Check, Plus, Save } from "lucide-react";
import { useState } from "react";
import { approveLoop, editPlan } from "../../../api/loops.ts";
import type { Loop } from "../../../api/types.ts";
import { Button } from "../../../parts/button.tsx";
import { Note } from "../../../parts/notes.tsx";
import { Card, Section } from "../../../parts/page.tsx";
import { TaskGraph } from "../../../parts/task-graph.tsx";
import { useAction } from "../../../parts/use-action.ts";
import { writtenOut } from "../../../parts/written-out.ts";
import { words } from "../../../words/words.ts";
import { freshTask, removed, replaced } from "./plan-changes.ts";
import { PlannedTaskDialog } from "./planned-task-dialog.tsx";
import type { PlanDraft } from "./use-plan-draft.ts";

const text = words.loop.plan;

interface PlanEditorProps {
  loop: Loop;
  draft: PlanDraft;
}

/** The plan as a graph whose tasks can be changed, and then approved. What is changed is saved before. */
export function PlanEditor({ loop, draft }: PlanEditorProps) {
  const { plan, setPlan, isChanged } = draft;
  const [edited, setEdited] = useState<PlannedTask>();
  const save = useAction(() => editPlan(loop.id, plan), { done: text.saved });
  const approve = useAction(
    async () => {
      const { planVersion } = isChanged ? await editPlan(loop.id, plan) : loop;
      return approveLoop(loop.id, planVersion);
    },
    { done: text.approved },
  );
  const isNew = edited !== undefined && !plan.tasks.some(({ key }) => key === edited.key);
  return (
    <Section>
      <Card className="mb-6 flex flex-wrap items-center gap-4 border-blocked/40 p-5">
        <div className="min-w-0 flex-1 basis-80">
          <h2 className="text-base font-semibold">{text.title}</h2>
          <p className="text-soft">{isChanged ? text.changed : text.lead}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button icon={Plus} onClick={() => setEdited(freshTask(plan))}>
            {text.add}
          </Button>
          {isChanged && (
            <Button icon={Save} busy={save.isPending} onClick={() => save.mutate()}>
              {text.save}
            </Button>
          )}
          <Button look="primary" icon={Check} busy={approve.isPending} onClick={() => approve.mutate()}>
            {text.approve}
          </Button>
        </div>
      </Card>
      {draft.isChangedElsewhere && (
        <div className="mb-6">
          <Note tone="blocked" title={text.changedElsewhere} live>
            <Button onClick={draft.takeTheirs} className="mt-1">
              {text.takeTheirs}
            </Button>
          </Note>
        </div>
      )}
      {plan.summary && (
        <p className="mb-5 max-w-180 text-base break-words whitespace-pre-line">{plan.summary}</p>
      )}
      <TaskGraph
        label={words.loop.graph}
        nodes={plan.tasks.map((task) => ({ id: task.key, needs: task.needs, task }))}
        card={({ task }) => <PlannedCard task={task} onEdit={() => setEdited(task)} />}
      />
      {edited && (
        <PlannedTaskDialog
          key={edited.key}
          task={edited}
          isNew={isNew}
          onClose={() => setEdited(undefined)}
          onSave={(task) => {
            setPlan(replaced(plan, edited.key, task));
            setEdited(undefined);
          }}
          onRemove={() => {
            setPlan(removed(plan, edited.key));
            setEdited(undefined);
          }}
        />
      )}
    </Section>
  );
}

function PlannedCard({ task, onEdit }: { task: PlannedTask; onEdit: () => void }) {
  const title = writtenOut(task.title);
  return (
    <button
      type="button"
      onClick={onEdit}
      className="flex h-full w-full flex-col justify-between gap-1 rounded-md border border-line bg-surface px-3 py-2.5 text-left shadow-raised transition-colors hover:border-line-strong hover:bg-hover"
    >
      <span className="w-full truncate font-medium" title={title}>
        {title}
      </span>
      <span className="w-full truncate text-xs text-faint">
        {words.states.roles[task.role]} · {task.allowedPaths.join(", ") || text.anything}
      </span>
    </button>
  );
}
