import type { Place } from "../place.ts";
import { messagesChannel, waitingMessages } from "../state/task-messages.ts";

/**
 * Calls once when somebody has something to say to the agent of this task: at once where it is told, else as soon as
 * somebody looks. What the call throws is logged; the message waits in the table all the same.
 */
export function watchMessages(
  { database, log }: Pick<Place, "database" | "log">,
  task: string | null,
  act: () => Promise<void>,
): { stop(): void } {
  if (task === null) return { stop: () => {} };
  let over = false;
  const look = async (): Promise<void> => {
    if (over || (await waitingMessages(database, task)) === 0 || over) return;
    over = true;
    await act();
  };
  const looked = (): void => {
    look().catch((error: unknown) => log(`task ${task}: a message has to wait: ${String(error)}`));
  };
  const leave = database.notifications.subscribe(messagesChannel, (wake) => {
    if (wake.kind !== "notified" || wake.payload === task) looked();
  });
  looked();
  return {
    stop: () => {
      over = true;
      leave();
    },
  };
}
