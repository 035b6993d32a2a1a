import { Link, type LinkProps } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { words } from "../words/words.ts";
import { classes } from "./classes.ts";
import { writtenOut } from "./written-out.ts";

export interface Crumb {
  label: string;
  to: LinkProps["to"];
  params?: Record<string, string>;
}

interface PageProps {
  title: string;
  /** What stands beside the title: a state. */
  beside?: ReactNode;
  lead?: ReactNode;
  crumbs?: readonly Crumb[];
  actions?: ReactNode;
  /** Uses all of the width, and of the height. */
  wide?: boolean;
  children?: ReactNode;
}

/** Every page: where one is, what it is called, what can be done, and then the rest. */
export function Page({ title: called, beside, lead, crumbs = [], actions, wide, children }: PageProps) {
  const title = writtenOut(called);
  useEffect(() => {
    document.title = `${title} · ${words.shell.product}`;
  }, [title]);
  return (
    <div
      className={classes("mx-auto w-full px-4 pt-5 pb-16 sm:px-8 sm:pt-7", wide ? "max-w-360" : "max-w-280")}
    >
      {crumbs.length > 0 && <Crumbs crumbs={crumbs} />}
      <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-80">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
            {beside}
          </div>
          {lead && <div className="mt-1 max-w-180 text-base text-soft">{lead}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <ol className="mb-2 flex min-w-0 flex-wrap items-center gap-1 text-sm text-faint">
      {crumbs.map(({ label, to, params }) => (
        <li key={label} className="flex min-w-0 items-center gap-1">
          {/* Paths and their parameters come from the router's own table. */}
          <Link {...({ to, params } as LinkProps)} className="max-w-72 truncate rounded-md hover:text-ink">
            {writtenOut(label)}
          </Link>
          <ChevronRight aria-hidden className="size-3" />
        </li>
      ))}
    </ol>
  );
}

/** A part of a page, with its name. */
export function Section({
  title,
  beside,
  children,
  className,
}: {
  title?: string;
  beside?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section className={classes("mb-8", className)}>
      {(title || beside) && (
        <div className="mb-3 flex min-h-8 flex-wrap items-center justify-between gap-2">
          {title && <h2 className="text-base font-semibold">{title}</h2>}
          {beside}
        </div>
      )}
      {children}
    </section>
  );
}

/** A surface with an edge. */
export function Card({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div className={classes("rounded-md border border-line bg-surface shadow-raised", className)}>
      {children}
    </div>
  );
}
