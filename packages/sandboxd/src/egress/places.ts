import type { Duplex } from "node:stream";
import { Turns } from "./dial/turns.ts";
import type { Link } from "./link.ts";
import type { EgressSandbox } from "./sandbox.ts";

/** Lookups of this machine's resolver block a thread each, of which there are few. */
const mostLookups = 4;

/** What one sandbox has open. */
export interface Place {
  sandbox: EgressSandbox;
  links: Set<Link>;
  streams: Set<Duplex>;
  turns: Turns;
}

/** The sandboxes that have anything open; one that has nothing is not remembered. */
export class Places {
  readonly #places = new Map<string, Place>();

  of(sandbox: EgressSandbox): Place {
    const known = this.#places.get(sandbox.id);
    if (known) {
      known.sandbox = sandbox;
      return known;
    }
    const place: Place = { sandbox, links: new Set(), streams: new Set(), turns: new Turns(mostLookups) };
    this.#places.set(sandbox.id, place);
    return place;
  }

  get(sandboxId: string): Place | undefined {
    return this.#places.get(sandboxId);
  }

  all(): Place[] {
    return [...this.#places.values()];
  }

  end(place: Place, link: Link): void {
    place.links.delete(link);
    this.leave(place);
  }

  /** Called whenever something of the place has ended. */
  leave(place: Place): void {
    if (place.links.size > 0 || place.streams.size > 0) return;
    if (this.#places.get(place.sandbox.id) === place) this.#places.delete(place.sandbox.id);
  }
}
