import type { Forbidden } from "../../../workspace/rules.ts";
import type { Place } from "../place.ts";

/** What of this user and this engine no sandbox may reach. */
export function forbiddenPaths(place: Omit<Place, "facts">): Forbidden {
  const { endpoint } = place.engine;
  const socket = endpoint.kind === "socket" ? [endpoint.path] : [];
  return { home: place.home, paths: [place.state.folder, ...socket] };
}
