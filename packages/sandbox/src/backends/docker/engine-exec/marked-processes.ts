import type Docker from "dockerode";
import { SandboxError } from "../../../errors.ts";

/** Every command has its exec's id under this name in its environment, and so has all that it starts. */
export const markerVariable = "OPENTIGER_EXEC";

const script = `
for environ in /proc/[0-9]*/environ; do
  pid=\${environ#/proc/}; pid=\${pid%/environ}
  if tr '\\0' '\\n' < "$environ" 2>/dev/null | grep -qx "$WANTED"; then kill -s "$SIGNAL" "$pid" 2>/dev/null; fi
done
exit 0
`;

/** Signals every process that carries the marker; done as the same user, who alone may read an environment. */
export async function killMarked(
  container: Docker.Container,
  user: string,
  id: string,
  signal: NodeJS.Signals,
): Promise<void> {
  const exec = await container.exec({
    Cmd: ["/bin/sh", "-c", script],
    Env: [`WANTED=${markerVariable}=${id}`, `SIGNAL=${signal.replace(/^SIG/, "")}`],
    User: user,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({ hijack: true, stdin: false });
  stream.resume();
  await new Promise<void>((resolve) => {
    stream.once("close", resolve);
    stream.once("error", () => resolve());
  });
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) {
    throw new SandboxError(
      "internal",
      `the command could not be signalled (its shell ended with ${ExitCode})`,
      {
        remedy: "stop the sandbox: that ends everything in it",
      },
    );
  }
}
