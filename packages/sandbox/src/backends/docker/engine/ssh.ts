import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { Agent } from "node:http";
import { Duplex } from "node:stream";

/**
 * Reaches an engine as the docker command does: by the user's own ssh, with all of its settings, running
 * `docker system dial-stdio` on the other side. One connection for each request.
 */
export class SshAgent extends Agent {
  readonly #arguments: string[];

  constructor(destination: string, port: number | null) {
    super({ keepAlive: false });
    const flags = ["-T", "-o", "ConnectTimeout=30", ...(port === null ? [] : ["-p", String(port)])];
    this.#arguments = [...flags, "--", destination, "docker", "system", "dial-stdio"];
  }

  override createConnection(): Duplex {
    return new ProcessStream(spawn("ssh", this.#arguments, { stdio: "pipe" }));
  }
}

/** A process's stdin and stdout as one stream. Its end is the end of its output, however its input fared. */
class ProcessStream extends Duplex {
  readonly #child: ChildProcessWithoutNullStreams;

  constructor(child: ChildProcessWithoutNullStreams) {
    super();
    this.#child = child;
    let complaint = "";
    child.stderr.on("data", (chunk: Buffer) => {
      complaint = (complaint + chunk.toString("utf8")).slice(-500);
    });
    child.stdin.on("error", () => {});
    child.stdout.on("error", () => {});
    child.stdout.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) child.stdout.pause();
    });
    child.once("error", (error) => this.destroy(unreachable(error.message)));
    child.once("close", (code) => {
      if (code) this.destroy(unreachable(complaint.trim() || `ssh ended with ${code}`));
      else this.push(null);
    });
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#child.stdin.write(chunk, () => done());
  }

  override _final(done: () => void): void {
    this.#child.stdin.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#child.kill();
    done(error);
  }
}

/** As a failure to connect, which it is for whoever asked. */
function unreachable(message: string): Error {
  return Object.assign(new Error(message), { syscall: "connect", code: "ECONNREFUSED" });
}
