import { classes } from "./classes.ts";

interface SegmentsProps<Value extends string> {
  label: string;
  choices: readonly { value: Value; label: string }[];
  value: Value;
  onChoose(value: Value): void;
}

/** One of a few, all of which are seen. */
export function Segments<Value extends string>({ label, choices, value, onChoose }: SegmentsProps<Value>) {
  return (
    <fieldset className="flex rounded-md border border-line-strong bg-surface p-0.5 shadow-raised">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChoose(choice.value)}
          className={classes(
            "h-7 rounded-md px-2.5 text-sm font-medium whitespace-nowrap transition-colors",
            choice.value === value ? "bg-hover text-ink" : "text-faint hover:text-ink",
          )}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
