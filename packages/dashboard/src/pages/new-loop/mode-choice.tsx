import { classes } from "../../parts/classes.ts";
import { words } from "../../words/words.ts";
import type { Mode } from "./draft.ts";

const { how, modes } = words.newLoop;
const choices: readonly { mode: Mode; label: string; hint: string }[] = [
  { mode: "prose", label: modes.prose, hint: modes.proseHint },
  { mode: "single", label: modes.single, hint: modes.singleHint },
  { mode: "stories", label: modes.stories, hint: modes.storiesHint },
];

/** Who makes tasks of it. */
export function ModeChoice({ mode, onMode }: { mode: Mode; onMode: (mode: Mode) => void }) {
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{how}</legend>
      <div className="grid gap-2 sm:grid-cols-3">
        {choices.map((choice) => (
          <label
            key={choice.mode}
            className={classes(
              "flex cursor-pointer flex-col gap-0.5 rounded-md border bg-surface p-3 shadow-raised transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-brand",
              mode === choice.mode ? "border-brand bg-brand-tint" : "border-line-strong hover:bg-hover",
            )}
          >
            <input
              type="radio"
              name="mode"
              className="sr-only"
              checked={mode === choice.mode}
              onChange={() => onMode(choice.mode)}
            />
            <span className="font-medium">{choice.label}</span>
            <span className="text-xs text-soft">{choice.hint}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
