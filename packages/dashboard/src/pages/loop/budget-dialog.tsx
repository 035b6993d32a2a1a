import { useState } from "react";
import { resumeLoop } from "../../api/loops.ts";
import type { Loop } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";

const text = words.loop;
const form = words.newLoop;

/** More of it, and it goes on. */
export function BudgetDialog({ loop, open, onClose }: { loop: Loop; open: boolean; onClose: () => void }) {
  const [usd, setUsd] = useState(loop.settings.budget?.usd ? `${loop.settings.budget.usd * 2}` : "");
  const [tokens, setTokens] = useState(
    loop.settings.budget?.tokens ? `${loop.settings.budget.tokens * 2}` : "",
  );
  const budget = { usd: usd ? Number(usd) : null, tokens: tokens ? Math.round(Number(tokens)) : null };
  const resume = useAction(() => resumeLoop(loop.id, budget), { done: text.resumed, onDone: onClose });
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={text.budgetTitle}
      lead={text.budgetLead}
      actions={
        <Button look="primary" busy={resume.isPending} onClick={() => resume.mutate()}>
          {text.resume}
        </Button>
      }
    >
      <div className="grid grid-cols-2 gap-3">
        <Field label={form.budgetUsd}>
          {(ids) => (
            <Input
              {...ids}
              type="number"
              min="0"
              value={usd}
              onChange={(event) => setUsd(event.target.value)}
            />
          )}
        </Field>
        <Field label={form.budgetTokens}>
          {(ids) => (
            <Input
              {...ids}
              type="number"
              min="1000"
              value={tokens}
              onChange={(event) => setTokens(event.target.value)}
            />
          )}
        </Field>
      </div>
    </Dialog>
  );
}
