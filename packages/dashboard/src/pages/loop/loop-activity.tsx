import { useQuery } from "@tanstack/react-query";
import { loopEventsQuery, loopTasksQuery } from "../../api/loops.ts";
import type { Loop } from "../../api/types.ts";
import { EventList } from "../../parts/event-list.tsx";
import { QueryView } from "../../parts/query-view.tsx";

/** What happened, the newest first. */
export function LoopActivity({ loop }: { loop: Loop }) {
  const events = useQuery(loopEventsQuery(loop.id));
  const { data: tasks } = useQuery(loopTasksQuery(loop.id));
  const titles = new Map(tasks?.items.map(({ id, number, title }) => [id, `#${number} ${title}`]));
  return <QueryView query={events}>{(items) => <EventList events={items} titles={titles} />}</QueryView>;
}
