import type { LoopSummary, Plan, Rework, TaskFailure, TokenCount } from "@opentiger/schema";
import { storableJson } from "./storable.ts";
import type { What } from "./transitions.ts";

/** What may be set together with a change of state. */
export interface ChangeColumns {
  task: {
    detail?: string | null;
    notBefore?: Date | null;
    baseOid?: string | null;
    candidateOid?: string | null;
    mergedOid?: string | null;
    rework?: Rework | null;
    tries?: Readonly<Record<string, number>>;
    handedTo?: string | null;
  };
  loop: {
    baseOid?: string | null;
    branchOid?: string | null;
    branch?: string | null;
    detail?: string | null;
    plan?: Plan | null;
    summary?: LoopSummary | null;
  };
  run: RunColumns & { failure?: TaskFailure | null; candidateOid?: string | null };
}

/** What becomes known of a run while it goes on. */
export interface RunColumns {
  session?: string | null;
  model?: string | null;
  sandbox?: string | null;
  execId?: string | null;
  transcript?: string | null;
  lastSeq?: number;
  tokens?: TokenCount;
  usd?: number | null;
}

type Cast = "" | "::jsonb" | "::timestamptz";

const names: {
  readonly [W in What]: { readonly [Key in keyof Required<ChangeColumns[W]>]: readonly [string, Cast] };
} = {
  task: {
    detail: ["detail", ""],
    notBefore: ["not_before", "::timestamptz"],
    baseOid: ["base_oid", ""],
    candidateOid: ["candidate_oid", ""],
    mergedOid: ["merged_oid", ""],
    rework: ["rework", "::jsonb"],
    tries: ["tries", "::jsonb"],
    handedTo: ["handed_to", ""],
  },
  loop: {
    baseOid: ["base_oid", ""],
    branchOid: ["branch_oid", ""],
    branch: ["branch", ""],
    detail: ["detail", ""],
    plan: ["plan", "::jsonb"],
    summary: ["summary", "::jsonb"],
  },
  run: {
    session: ["session", ""],
    model: ["model", ""],
    sandbox: ["sandbox", ""],
    execId: ["exec_id", ""],
    transcript: ["transcript", ""],
    lastSeq: ["last_seq", ""],
    tokens: ["tokens", "::jsonb"],
    usd: ["usd", ""],
    failure: ["failure", "::jsonb"],
    candidateOid: ["candidate_oid", ""],
  },
};

/** `column = $n` for each that is given; its value is added to `values`. */
export function columnSettings(
  what: What,
  set: Readonly<Record<string, unknown>>,
  values: unknown[],
): string[] {
  const known = new Map<string, readonly [string, Cast]>(Object.entries(names[what]));
  return Object.entries(set).flatMap(([key, value]) => {
    const column = known.get(key);
    if (!column || value === undefined) return [];
    const [name, cast] = column;
    values.push(cast === "::jsonb" && value !== null ? storableJson(value) : value);
    return [`${name} = $${values.length}${cast}`];
  });
}
