import { Socket } from "node:net";
import { Duplex } from "node:stream";
import type Docker from "dockerode";
import { Demultiplexer } from "../backends/docker/engine-exec/demultiplex.ts";
import { SandboxError } from "../errors.ts";
import { insidePaths } from "../protocol/paths.ts";

/** bridge: sessions, on which we ask. egress-bridge: the way out, on which the supervisor asks. */
export type BridgeKind = "bridge" | "egress-bridge";

/** A loaded machine takes seconds to start node. */
const firstWordMs = 10_000;

/** What may wait for the engine to take it: more than one piece of what shares the stream. */
const underWay = 512 * 1024;

/** A bridge holds nothing but what is passing. */
const nodeFlags = ["--max-old-space-size=32", "--max-semi-space-size=1"];

/** Of what the bridge complained of: enough for the error. */
const keptWords = 500;

/**
 * A byte stream to the supervisor through the Engine: an exec of the supervisor's file as a bridge, its stdin and
 * stdout being the two directions. For engines with which no socket can be shared.
 */
export async function bridge(docker: Docker, containerId: string, kind: BridgeKind): Promise<Duplex> {
  const container = docker.getContainer(containerId);
  const { Config } = await container.inspect();
  const exec = await container.exec({
    // The node that runs the supervisor.
    Cmd: [Config.Cmd?.[0] ?? "node", ...nodeFlags, insidePaths.supervisor, kind],
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = new ExecStdio(await exec.start({ hijack: true, stdin: true }));
  if (kind === "egress-bridge") await stream.spoken();
  return stream;
}

/** stdin and stdout of an exec as one stream; what comes on stderr is the reason when it fails. */
class ExecStdio extends Duplex {
  readonly #wire: Duplex;
  #words = "";
  #over = false;

  constructor(wire: Duplex) {
    super({ writableHighWaterMark: underWay });
    this.#wire = wire;
    // To an engine on another machine small writes would else wait for each other's acknowledgement.
    if (wire instanceof Socket) wire.setNoDelay(true);
    const demultiplexer = new Demultiplexer();
    wire.on("data", (chunk: Buffer) => {
      for (const { stream, data } of demultiplexer.push(chunk)) {
        if (stream === "stderr") this.#words = (this.#words + data.toString("utf8")).slice(-keptWords);
        else if (!this.push(data)) wire.pause();
      }
    });
    // Whoever uses it listens for the end as well.
    this.on("error", () => {});
    wire.on("error", (error: Error) => this.destroy(error));
    wire.once("end", () => this.#ended());
    wire.once("close", () => this.#ended());
  }

  /** On the way out the supervisor speaks first, and from then on it asks there. */
  async spoken(): Promise<void> {
    const timer = setTimeout(() => this.destroy(), firstWordMs);
    await new Promise<void>((resolve) => {
      this.once("close", resolve);
      this.once("readable", resolve);
    });
    clearTimeout(timer);
    if (this.readableLength === 0) throw this.#failure("silence");
  }

  override _read(): void {
    this.#wire.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#wire.write(chunk)) done();
    else this.#wire.once("drain", done);
  }

  override _final(done: () => void): void {
    this.#wire.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#wire.destroy();
    done(error);
  }

  #ended(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#words.trim() !== "") this.destroy(this.#failure(""));
    else this.push(null);
  }

  #failure(otherwise: string): SandboxError {
    const why = this.#words.trim() || otherwise;
    return new SandboxError("sandbox_broken", `the bridge into the sandbox failed: ${why}`);
  }
}
