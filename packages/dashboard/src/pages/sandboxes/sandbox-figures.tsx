import { useQuery } from "@tanstack/react-query";
import { diskQuery, type SandboxItem, statsQuery } from "../../api/sandboxes.ts";
import { bytes } from "../../parts/numbers.tsx";
import { words } from "../../words/words.ts";
import { environmentOf, useIsRunning } from "../sandbox/use-sandbox.ts";

/** What one uses now. One that does not run uses nothing, and is not asked: that would start it. */
function useStats(sandbox: SandboxItem) {
  const running = useIsRunning(sandbox);
  return useQuery(statsQuery(sandbox.name, environmentOf(sandbox), running)).data;
}

export function Cpu({ sandbox }: { sandbox: SandboxItem }) {
  const stats = useStats(sandbox);
  return <span title={words.sandboxes.cores}>{percent(stats?.cpu)}</span>;
}

export function Memory({ sandbox }: { sandbox: SandboxItem }) {
  const stats = useStats(sandbox);
  if (!stats) return words.common.dash;
  const limit = stats.memoryLimitBytes;
  return (
    <span title={limit === null ? undefined : words.sandboxes.of(bytes(limit))}>
      {bytes(stats.memoryBytes)}
    </span>
  );
}

export function Disk({ sandbox }: { sandbox: SandboxItem }) {
  const { data } = useQuery({ ...diskQuery(sandbox.name, environmentOf(sandbox)), enabled: sandbox.own });
  return data?.bytes === null || data === undefined ? words.common.dash : bytes(data.bytes);
}

/** Of one core: two that are busy are 200 %. */
function percent(share: number | null | undefined): string {
  if (share === null || share === undefined) return words.common.dash;
  const points = share * 100;
  return `${points < 10 ? points.toFixed(1) : Math.round(points)} %`;
}
