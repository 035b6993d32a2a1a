import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { Connection, type ConnectionState } from "./connection.ts";
import { keysOf, StaleQueries } from "./stale-queries.ts";

const LiveContext = createContext<Connection | undefined>(undefined);

/** Everything below is kept up to date by the one connection. */
export function Live({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [connection] = useState(() => {
    const stale = new StaleQueries(client);
    return new Connection({
      onEvent: (event) => stale.add(keysOf(event)),
      // These have no numbers, so that nobody knows whether something of them was missed.
      onBack: () => stale.add([["system"], ["sandboxes"], ["secrets"], ["keys"], ["audit"], ["me"]]),
    });
  });
  useEffect(() => connection.start(), [connection]);
  return <LiveContext value={connection}>{children}</LiveContext>;
}

export function useConnection(): { state: ConnectionState; retry: () => void } {
  const connection = useContext(LiveContext);
  if (!connection) throw new Error("this is not inside of Live");
  const state = useSyncExternalStore(connection.subscribe, () => connection.state);
  return { state, retry: connection.retry };
}
