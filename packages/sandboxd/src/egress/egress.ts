import type { Duplex } from "node:stream";
import type { EgressOpening } from "@opentiger/schema";
import { Dialler, type DialOptions } from "./dial/dial.ts";
import { hostDoor } from "./doors/host.ts";
import { HttpDoor } from "./doors/http/http-door.ts";
import { nameDoor } from "./doors/name.ts";
import { socksDoor } from "./doors/socks.ts";
import type { LinkView } from "./link.ts";
import type { EgressLog } from "./log/egress-log.ts";
import type { EgressSandbox } from "./sandbox.ts";
import { byteStream } from "./stream/byte-stream.ts";
import { Ways } from "./ways.ts";

export interface EgressOptions extends DialOptions {
  log: EgressLog;
  now?: () => Date;
}

/** How often the bytes of connections that stay open come into the log. */
const countEveryMs = 5000;

/**
 * The one way out of every sandbox: parses what a connection wants once and canonically, decides, resolves, checks
 * the address and connects to that address. It trusts nothing of what comes from inside, the opening included.
 */
export class Egress {
  readonly #ways: Ways;
  readonly #http: HttpDoor;
  readonly #counter: NodeJS.Timeout;

  constructor(options: EgressOptions) {
    this.#ways = new Ways(new Dialler(options), options.log, options.now ?? (() => new Date()));
    this.#http = new HttpDoor(this.#ways);
    this.#counter = setInterval(() => this.#ways.count(), countEveryMs).unref();
  }

  /** Takes the stream over. `gateway` is not a way out and belongs to the gateway. */
  accept(sandbox: EgressSandbox, opening: EgressOpening, stream: Duplex): void {
    const inside = byteStream(stream);
    inside.on("error", () => {});
    if (!this.#ways.admit(sandbox, inside)) return void inside.destroy();
    this.#enter(sandbox, opening, inside).catch(() => inside.destroy());
  }

  /** The rules of this sandbox have changed: connections that they no longer allow end now. */
  recheck(sandboxId: string): void {
    this.#ways.recheck(sandboxId);
  }

  /** Ends every connection of a sandbox. */
  closeSandbox(sandboxId: string): void {
    this.#ways.closeSandbox(sandboxId);
  }

  connections(sandboxId: string): LinkView[] {
    return this.#ways.views(sandboxId);
  }

  /** Brings the log up to date with the bytes of open connections. */
  count(): void {
    this.#ways.count();
  }

  close(): void {
    clearInterval(this.#counter);
    this.#ways.closeAll();
  }

  async #enter(sandbox: EgressSandbox, opening: EgressOpening, inside: Duplex): Promise<void> {
    switch (opening.kind) {
      case "proxy":
        return this.#http.accept({ sandbox, target: undefined }, inside);
      case "socks":
        return await socksDoor(this.#ways, this.#http, sandbox, inside);
      case "name":
        return await nameDoor(this.#ways, this.#http, sandbox, opening, inside);
      case "host":
        return await hostDoor(this.#ways, sandbox, opening.port, inside);
      case "gateway":
        return void inside.destroy();
    }
  }
}
