import { markerGids } from "./config.ts";
import { groupsInUse } from "./processes.ts";
import { RefusedError } from "./refusals.ts";

/** Hands out marker groups. One is used again only when no process carries it any more. */
export class MarkerPool {
  #next: number = markerGids.first;
  #wrapped = false;

  take(): number {
    if (!this.#wrapped) return this.#advance();
    const used = groupsInUse();
    for (let tries = markerGids.first; tries <= markerGids.last; tries += 1) {
      const gid = this.#advance();
      if (!used.has(gid)) return gid;
    }
    throw new RefusedError("resource_limit", "the sandbox runs too many commands at once");
  }

  #advance(): number {
    const gid = this.#next;
    this.#next = gid === markerGids.last ? markerGids.first : gid + 1;
    if (gid === markerGids.last) this.#wrapped = true;
    return gid;
  }
}
