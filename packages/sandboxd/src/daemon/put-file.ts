import { randomUUID } from "node:crypto";
import { collect, SandboxError, type Session } from "@opentiger/sandbox";

/** Under another name first: whoever reads it reads the old one or the new one. */
const script =
  'umask 077 && mkdir -p "$(dirname "$0")" && cat > "$0.new" && chmod "$1" "$0.new" && mv -f "$0.new" "$0"';

/** Writes a file in a sandbox, as the agent and with the agent's rights. */
export async function putFile(session: Session, path: string, content: string, mode: number): Promise<void> {
  const command = ["sh", "-c", script, path, mode.toString(8)];
  const execution = await session.exec({ id: randomUUID(), command, stdin: true });
  execution.stdin.end(content);
  const { exit, stderr } = await collect(execution);
  if (exit.code === 0) return;
  throw new SandboxError(
    "sandbox_broken",
    `${path} could not be written in the sandbox: ${stderr.toString().trim()}`,
  );
}
