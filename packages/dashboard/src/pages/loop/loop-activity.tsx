import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { loopEventsQuery, loopTasksQuery } from "../../api/loops.ts";
import type { Loop } from "../../api/types.ts";
import { EventList } from "../../parts/event-list.tsx";

/** What happened, the newest first. */
export function LoopActivity({ loop }: { loop: Loop }) {
  const events = useInfiniteQuery(loopEventsQuery(loop.id));
  const { data: tasks } = useQuery(loopTasksQuery(loop.id));
  const titles = new Map(tasks?.items.map(({ id, number, title }) => [id, `#${number} ${title}`]));
  return <EventList query={events} titles={titles} />;
}
