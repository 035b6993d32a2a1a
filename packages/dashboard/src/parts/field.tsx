import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import { classes } from "./classes.ts";

interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  children(ids: { id: string; "aria-describedby": string; "aria-invalid": boolean }): ReactNode;
}

/** A name, something to fill in, and what is to be known or is wrong of it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": `${id}-hint`, "aria-invalid": error !== undefined })}
      {(error ?? hint) !== undefined && (
        <p
          id={`${id}-hint`}
          className={classes("text-xs", error === undefined ? "text-faint" : "text-failed")}
        >
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

const box =
  "w-full rounded-md border border-line-strong bg-surface px-3 text-sm text-ink shadow-raised placeholder:text-faint aria-invalid:border-failed disabled:opacity-60";

export function Input({ className, ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  return <input {...rest} className={classes(box, "h-9", className)} />;
}

export function TextArea({ className, ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <textarea {...rest} className={classes(box, "py-2", className)} />;
}

export function Select({ className, children, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <select {...rest} className={classes(box, "h-9 pr-8", className)}>
      {children}
    </select>
  );
}

/** Yes or no, with a sentence. */
export function Check({
  label,
  hint,
  ...rest
}: { label: string; hint?: string } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className="flex gap-2.5">
      <input id={id} type="checkbox" {...rest} className="mt-0.75 size-3.5 shrink-0 accent-(--color-ink)" />
      <label htmlFor={id} className="text-sm">
        <span className="font-medium">{label}</span>
        {hint && <span className="block text-xs text-faint">{hint}</span>}
      </label>
    </div>
  );
}
