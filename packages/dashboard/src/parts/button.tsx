import { Link, type LinkProps } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode } from "react";
import { classes } from "./classes.ts";

type Look = "primary" | "plain" | "quiet" | "danger";

interface Shown {
  look?: Look | undefined;
  icon?: LucideIcon | undefined;
  /** Only the icon is drawn; this is what it is called. */
  label?: string | undefined;
  children?: ReactNode;
}

export type ButtonProps = Shown &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children"> & {
    /** Something is under way: it cannot be pressed again. */
    busy?: boolean | undefined;
  };

export function Button({ look, icon, label, busy, children, className, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-busy={busy}
      disabled={disabled || busy}
      className={classes(shape({ look, label, children }), className)}
      {...rest}
    >
      <Inside icon={icon} busy={busy}>
        {children}
      </Inside>
    </button>
  );
}

/** The same look for what leads to another page. */
export function ButtonLink({ look, icon, label, children, ...rest }: Shown & Omit<LinkProps, "children">) {
  return (
    <Link aria-label={label} className={shape({ look, label, children })} {...rest}>
      <Inside icon={icon}>{children}</Inside>
    </Link>
  );
}

function Inside({ icon: Icon, busy, children }: Pick<ButtonProps, "icon" | "busy" | "children">) {
  return (
    <>
      {busy ? (
        <span className="turning size-3.5 rounded-full border-2 border-current border-t-transparent" />
      ) : (
        Icon && <Icon aria-hidden className="size-3.5 shrink-0" strokeWidth={2} />
      )}
      {children}
    </>
  );
}

const looks: Readonly<Record<Look, string>> = {
  primary: "bg-ink text-on-ink border-transparent hover:opacity-88",
  plain: "bg-surface text-ink border-line-strong shadow-raised hover:bg-hover",
  quiet: "border-transparent text-soft hover:bg-hover hover:text-ink",
  danger: "bg-surface text-failed border-line-strong shadow-raised hover:bg-failed-tint",
};

function shape({ look = "plain", label, children }: Shown): string {
  return classes(
    "inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border text-sm font-medium whitespace-nowrap transition-colors",
    "disabled:pointer-events-none disabled:opacity-50",
    label !== undefined && children === undefined ? "w-8" : "px-3",
    looks[look],
  );
}
