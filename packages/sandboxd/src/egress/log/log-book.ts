import { type LogEntry, type LogRow, otherHosts } from "./entry.ts";

const mostRows = 1000;

/**
 * The rows of one sandbox, bounded. When it is full, hosts that were only ever blocked make room, the one not seen
 * for longest first, and are counted together: knocking at many doors does not hide which ones opened.
 */
export class LogBook {
  readonly #rows = new Map<string, LogRow>();
  readonly #most: number;

  constructor(rows: readonly LogRow[] = [], most: number = mostRows) {
    this.#most = most;
    for (const row of rows) this.#rows.set(key(row), { ...row });
  }

  /** Most recent first. */
  rows(): LogRow[] {
    return [...this.#rows.values()]
      .map((row) => ({ ...row }))
      .sort((one, other) => (one.lastSeen < other.lastSeen ? 1 : -1));
  }

  record(entry: LogEntry, time: string): void {
    const row = this.#row(entry, time);
    row.rule = entry.rule;
    row.lastSeen = time;
    if (entry.verdict === "allowed") {
      row.allowed += 1;
      row.lastReached = time;
    } else if (entry.verdict === "failed") row.failed += 1;
    else {
      row.blocked += 1;
      row.lastBlocked = time;
    }
  }

  count(
    at: { host: string; port: number },
    bytes: { bytesIn: number; bytesOut: number },
    time: string,
  ): void {
    const row = this.#row(at, time);
    row.bytesIn += bytes.bytesIn;
    row.bytesOut += bytes.bytesOut;
    row.lastSeen = time;
    row.lastReached = time;
  }

  #row(at: { host: string; port: number }, time: string): LogRow {
    const known = this.#rows.get(key(at));
    if (known) return known;
    if (this.#rows.size < this.#most || this.#makeRoom(time)) return this.#add(at, time);
    return this.#others(time);
  }

  #makeRoom(time: string): boolean {
    let oldest: LogRow | undefined;
    for (const row of this.#rows.values()) {
      if (row.allowed > 0 || row.host === otherHosts) continue;
      if (!oldest || row.lastSeen < oldest.lastSeen) oldest = row;
    }
    if (!oldest) return false;
    this.#rows.delete(key(oldest));
    const others = this.#others(time);
    others.rule = oldest.rule;
    others.blocked += oldest.blocked;
    others.failed += oldest.failed;
    return true;
  }

  #others(time: string): LogRow {
    const at = { host: otherHosts, port: 0 };
    return this.#rows.get(key(at)) ?? this.#add(at, time);
  }

  #add(at: { host: string; port: number }, time: string): LogRow {
    const row: LogRow = {
      host: at.host,
      port: at.port,
      rule: "",
      allowed: 0,
      blocked: 0,
      failed: 0,
      bytesIn: 0,
      bytesOut: 0,
      firstSeen: time,
      lastSeen: time,
    };
    this.#rows.set(key(row), row);
    return row;
  }
}

function key(at: { host: string; port: number }): string {
  return `${at.host} ${at.port}`;
}
