import type { ReactNode } from "react";
import { Card } from "./page.tsx";

export interface Fact {
  label: string;
  value: ReactNode;
}

/** A few figures in one strip, each under its name. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <Card className="mb-6 overflow-hidden">
      <dl className="-mr-px -mb-px grid grid-cols-2 sm:grid-cols-3 lg:flex">
        {facts.map(({ label, value }) => (
          <div key={label} className="min-w-0 flex-1 border-r border-b border-line px-4 py-3">
            <dt className="text-xs text-faint">{label}</dt>
            <dd className="numbers mt-0.5 truncate font-medium">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
