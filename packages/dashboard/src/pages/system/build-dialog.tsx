import { Hammer } from "lucide-react";
import { useState } from "react";
import type { BuildChoices } from "../../api/image-build.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Check, Field, Select } from "../../parts/field.tsx";
import { words } from "../../words/words.ts";

const { system } = words;

interface BuildDialogProps {
  /** There is one already, and so a build without the cache is what is meant. */
  ready: boolean;
  onClose(): void;
  onBuild(choices: BuildChoices): void;
}

/** From what the image is built. */
export function BuildDialog({ ready, onClose, onBuild }: BuildDialogProps) {
  const [base, setBase] = useState<BuildChoices["base"]>("registry");
  const [fresh, setFresh] = useState(ready);
  return (
    <Dialog
      open
      onClose={onClose}
      title={ready ? system.rebuild : system.build}
      lead={system.buildLead}
      actions={
        <>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button look="primary" icon={Hammer} onClick={() => onBuild({ base, fresh })}>
            {system.buildNow}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={system.base} hint={system.baseHint[base]}>
          {(ids) => (
            <Select
              {...ids}
              value={base}
              onChange={({ target }) => setBase(target.value === "debian" ? "debian" : "registry")}
            >
              <option value="registry">{system.bases.registry}</option>
              <option value="debian">{system.bases.debian}</option>
            </Select>
          )}
        </Field>
        <Check
          label={system.fresh}
          hint={system.freshHint}
          checked={fresh}
          onChange={(event) => setFresh(event.target.checked)}
        />
      </div>
    </Dialog>
  );
}
