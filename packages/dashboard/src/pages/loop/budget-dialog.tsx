import { useState } from "react";
import { type GoingOn, goOnWithLoop } from "../../api/loops.ts";
import type { Loop } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";

const text = words.loop;
const form = words.newLoop;

interface BudgetDialogProps {
  loop: Loop;
  /** What was refused for want of budget; undefined: nothing. */
  asked: GoingOn | undefined;
  onClose: () => void;
}

/** More of it, and it goes on. */
export function BudgetDialog({ loop, asked, onClose }: BudgetDialogProps) {
  const [usd, setUsd] = useState(loop.settings.budget?.usd ? `${loop.settings.budget.usd * 2}` : "");
  const [tokens, setTokens] = useState(
    loop.settings.budget?.tokens ? `${loop.settings.budget.tokens * 2}` : "",
  );
  const budget = { usd: usd ? Number(usd) : null, tokens: tokens ? Math.round(Number(tokens)) : null };
  const goOn = useAction(async (verb: GoingOn) => {
    await goOnWithLoop(loop.id, verb, budget);
    say(text.goneOn[verb]);
    onClose();
  });
  return (
    <Dialog
      open={asked !== undefined}
      onClose={onClose}
      title={text.budgetTitle}
      lead={text.budgetLead}
      actions={
        asked && (
          <Button look="primary" busy={goOn.isPending} onClick={() => goOn.mutate(asked)}>
            {text.goingOn[asked]}
          </Button>
        )
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
