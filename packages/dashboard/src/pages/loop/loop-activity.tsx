import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { loopEventsQuery, loopTasksQuery } from "../../api/loops.ts";
import type { Loop } from "../../api/types.ts";
import { EventList } from "../../parts/event-list.tsx";
import { writtenOut } from "../../parts/written-out.ts";

/** What happened, the newest first. */
export function LoopActivity({ loop }: { loop: Loop }) {
  const events = useInfiniteQuery(loopEventsQuery(loop.id));
  const { data: tasks } = useQuery(loopTasksQuery(loop.id));
  const titles = new Map(
    tasks?.items.map(({ id, number, title }) => [id, `#${number} ${writtenOut(title)}`]),
  );
  return <EventList query={events} titles={titles} />;
}
