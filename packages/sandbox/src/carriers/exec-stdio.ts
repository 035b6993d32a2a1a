import { Duplex, PassThrough } from "node:stream";
import type Docker from "dockerode";
import { SandboxError } from "../errors.ts";
import { insidePaths } from "../protocol/paths.ts";

/**
 * A byte stream to the supervisor through the Engine: an exec of the supervisor's file as a bridge, its stdin and
 * stdout being the two directions. For engines with which no socket can be shared.
 */
export async function bridge(docker: Docker, containerId: string, node: readonly string[]): Promise<Duplex> {
  const exec = await docker.getContainer(containerId).exec({
    Cmd: [...node, insidePaths.supervisor, "bridge"],
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
  });
  const wire = await exec.start({ hijack: true, stdin: true });
  const output = new PassThrough();
  const errors = new PassThrough();
  docker.modem.demuxStream(wire, output, errors);
  const said = lastWords(errors);
  const stream = Duplex.from({ readable: output, writable: wire });
  wire.on("error", (error: Error) => stream.destroy(error));
  wire.once("close", () => output.end());
  wire.once("end", () => output.end());
  stream.once("close", () => wire.destroy());
  stream.once("error", () => wire.destroy());
  output.once("end", () => {
    if (said())
      stream.destroy(new SandboxError("sandbox_broken", `the bridge into the sandbox failed: ${said()}`));
  });
  return stream;
}

/** Keeps the end of what the bridge complained of, for the error. */
function lastWords(errors: PassThrough): () => string {
  let text = "";
  errors.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString("utf8")).slice(-500);
  });
  return () => text.trim();
}
