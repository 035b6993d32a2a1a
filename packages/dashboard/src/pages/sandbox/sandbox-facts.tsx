import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type SandboxItem, sandboxQuery, sandboxUsageQuery } from "../../api/sandboxes.ts";
import { bytes, money } from "../../parts/numbers.tsx";
import { Card } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { exactTime } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";
import { environmentOf } from "./use-sandbox.ts";

const { sandbox: text } = words;

/** What is fixed of it, as `inspect` says, and what its agent has used. */
export function SandboxFacts({ sandbox }: { sandbox: SandboxItem }) {
  const query = useQuery(sandboxQuery(sandbox.name, environmentOf(sandbox)));
  const usage = useQuery({
    ...sandboxUsageQuery(sandbox.name),
    enabled: environmentOf(sandbox) === "sandbox",
  });
  return (
    <QueryView query={query}>
      {(details) => (
        <Card>
          <dl className="divide-y divide-line">
            <Row label={text.kind}>{text.kinds[sandbox.workspaceKind]}</Row>
            <Row label={text.image} mono>
              {sandbox.image}
            </Row>
            <Row label={text.created}>{exactTime(sandbox.createdAt)}</Row>
            <Row label={text.isolation}>{shown(details["isolation"])}</Row>
            <Row label={text.weakness}>{shown(details["weakness"])}</Row>
            <Row label={text.limits} mono>
              {shown(inside(details["container"], "limits"))}
            </Row>
            <Row label={text.container} mono>
              {shown(inside(details["container"], "id"))}
            </Row>
            {usage.data && (
              <Row label={text.used}>
                {text.requests(usage.data.totals.requests)} · {money(usage.data.totals.usd)}
              </Row>
            )}
          </dl>
        </Card>
      )}
    </QueryView>
  );
}

function Row({ label, mono, children }: { label: string; mono?: boolean; children: ReactNode }) {
  return (
    <div className="grid gap-1 px-4 py-2.5 sm:grid-cols-[12rem_1fr]">
      <dt className="text-faint">{label}</dt>
      <dd className={mono ? "font-mono text-xs leading-5 break-all" : "break-words"}>{children}</dd>
    </div>
  );
}

function inside(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Text as it is; what has parts, part by part. */
function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return words.common.dash;
  if (typeof value !== "object") return `${value as string | number | boolean}`;
  return Object.entries(value)
    .map(([name, part]) => partOf(name, part))
    .join(" · ");
}

/** What is counted in bytes is said as it is everywhere else. */
function partOf(name: string, part: unknown): string {
  const unit = "Bytes";
  if (part === null) return `${name} ${words.common.none.toLowerCase()}`;
  if (typeof part === "number" && name.endsWith(unit)) return `${name.slice(0, -unit.length)} ${bytes(part)}`;
  return `${name} ${shown(part)}`;
}
