import type { ConfigEntry } from "@opentiger/schema";
import { RotateCcw } from "lucide-react";
import { type SubmitEvent, useId, useState } from "react";
import { failureOf } from "../../api/failure.ts";
import { patchConfig } from "../../api/system.ts";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { Input, Select } from "../../parts/field.tsx";
import { say } from "../../parts/toast.tsx";
import { words } from "../../words/words.ts";
import { useSettingChange } from "./use-setting-change.ts";

const { systemParts: text, system } = words;

/** One setting: what it is for, where its value comes from, and the value, which the server checks. */
export function SettingRow({ setting }: { setting: ConfigEntry }) {
  const { key, about, expects, choices, pinned, source, problem } = setting;
  const id = useId();
  const given = written(setting.value);
  const [draft, setDraft] = useState(given);
  const change = useSettingChange(
    (value: string | null) => patchConfig({ [key]: value }),
    () => say(text.saved(key)),
  );
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate(draft.trim() === "" ? null : draft.trim());
  };
  const failure = change.error ? failureOf(change.error).message : problem;
  const control = {
    id,
    value: draft,
    disabled: pinned || change.isPending,
    "aria-describedby": `${id}-note`,
    "aria-invalid": failure !== null,
    className: "font-mono",
  };
  const edited = draft !== given;
  const expected = choices === null ? expects : null;
  const saidBy = source === "flag" ? system.given : system.pinned;
  const hint = pinned ? saidBy : expected;
  return (
    <form
      onSubmit={save}
      className="grid gap-x-8 gap-y-2 px-4 py-3 md:grid-cols-[1fr_20rem]"
      data-setting={key}
    >
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-2">
          <label htmlFor={id} className="font-mono text-sm font-medium break-all">
            {key}
          </label>
          <Source source={source} />
        </div>
        <p className="mt-0.5 text-soft">{about}</p>
      </div>
      <div className="min-w-0">
        <div className="flex items-center gap-2">
          {choices ? (
            <Select {...control} onChange={(event) => setDraft(event.target.value)}>
              {choices.map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </Select>
          ) : (
            <Input
              {...control}
              placeholder={written(setting.default) || text.noValue}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setDraft(event.target.value)}
            />
          )}
          {edited && (
            <Button type="submit" look="primary" busy={change.isPending}>
              {words.common.save}
            </Button>
          )}
          {!edited && source === "stored" && (
            <Button
              look="quiet"
              icon={RotateCcw}
              label={`${text.reset}: ${key}`}
              onClick={() => change.mutate(null)}
            />
          )}
        </div>
        <p
          id={`${id}-note`}
          role={failure === null ? undefined : "alert"}
          className={classes("mt-1 text-xs", failure === null ? "text-faint" : "text-failed")}
        >
          {failure ?? hint}
        </p>
      </div>
    </form>
  );
}

function Source({ source }: { source: ConfigEntry["source"] }) {
  return (
    <span
      title={text.sourceHint[source]}
      className={classes(
        "rounded-full px-2 text-xs",
        source === "default" ? "text-faint" : "bg-brand-tint font-medium text-brand-text",
      )}
    >
      {text.source[source]}
    </span>
  );
}

function written(value: ConfigEntry["value"]): string {
  if (value === null) return "";
  return Array.isArray(value) ? value.join(" ") : String(value);
}
