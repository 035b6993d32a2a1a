/** A place in the feed: the transaction that wrote an event, and the event's id. */
export interface Cursor {
  xact: bigint;
  id: number;
}

/** Before everything. */
export const start: Cursor = { xact: 0n, id: 0 };

export function compareCursors(left: Cursor, right: Cursor): number {
  if (left.xact !== right.xact) return left.xact < right.xact ? -1 : 1;
  return left.id - right.id;
}

/** As it stands in `id:` and comes back in `Last-Event-ID`. */
export function writeCursor({ xact, id }: Cursor): string {
  return `${xact}.${id}`;
}

/** undefined: this is none. */
export function readCursor(text: string): Cursor | undefined {
  const [, xact = "", id = ""] = /^(\d{1,19})\.(\d{1,15})$/.exec(text) ?? [];
  return xact === "" ? undefined : { xact: BigInt(xact), id: Number(id) };
}
