import type { LoopRow, Usage } from "@opentiger/orchestrator";
import { printableText } from "../output/table.ts";
import { nextSteps } from "./end.ts";

/** How a loop stands, in a few lines, with the commands that follow. */
export function summaryOf(loop: LoopRow, usage: Usage): string {
  const { id, state, branch, branchOid, projectedOid, baseOid, detail, summary } = loop;
  const lines = [`loop ${id}: ${state}`];
  if (detail !== null) lines.push(`  ${printableText(detail, "  ")}`);
  if (summary) {
    const { done, failed, cancelled, left, commits } = summary;
    const judged = summary.tasks.filter(({ judgement }) => judgement !== null).length;
    const parts = [
      `${done} done`,
      `${judged} judged`,
      `${failed} failed`,
      `${cancelled} cancelled`,
      `${left} left`,
    ];
    lines.push(`  tasks   ${parts.join(", ")}`, `  commits ${commits}`);
  }
  lines.push(`  used    ${spent(usage)}`);
  if (branch !== null && branchOid !== null && branchOid !== baseOid)
    lines.push(
      `  branch  ${branch} at ${branchOid.slice(0, 10)}${branchOid === projectedOid ? "" : ", which your repository does not show yet"}`,
    );
  return `${[...lines, ...nextSteps(loop).map((command) => `  → ${command}`)].join("\n")}\n`;
}

function spent({ total, usd }: Pick<Usage, "total" | "usd">): string {
  return `${total} tokens${usd === null ? "" : `, $${usd.toFixed(4)}`}`;
}
