import { SandboxError } from "@opentiger/sandbox";
import { UsageError } from "../errors.ts";
import type { Surroundings } from "../program/surroundings.ts";
import type { ValuePaths } from "./input-output.ts";
import { invocationOf, type SecretsOptions, warn } from "./verb.ts";

export interface ValueOptions extends SecretsOptions {
  value?: string;
}

/** The value that the user gives: in an argument, on stdin, or at the terminal without showing it. */
export async function givenValue(
  name: string,
  options: ValueOptions,
  { surroundings, paths, limit }: { surroundings: Surroundings; paths: ValuePaths; limit: number },
): Promise<Uint8Array> {
  if (options.value !== undefined) {
    warn(visible, surroundings, options);
    return Buffer.from(options.value);
  }
  const { stdin, stderr } = surroundings;
  if (stdin.isTTY) {
    if (stderr.isTTY) return typed(name, surroundings, paths);
    throw new UsageError(
      "there is no terminal to ask on",
      `Give the value on stdin: ${fromFile(surroundings)}`,
    );
  }
  const bytes = await paths.readAll(limit);
  if (bytes) return bytes;
  throw new SandboxError("secret_refused", `the value is larger than ${limit} bytes`, {
    remedy: "keep large files elsewhere",
  });
}

const visible = {
  message: "everybody on this machine can see the arguments of a command, and your shell remembers them",
  remedy: ["leave --value out and give the value on stdin, or type it when you are asked"],
};

async function typed(name: string, surroundings: Surroundings, paths: ValuePaths): Promise<Buffer> {
  const answer = await paths.askHidden(`Value of ${name}`);
  if (!answer) throw new SandboxError("cancelled", "nothing was changed");
  if (!answer.cut) return Buffer.from(answer.text);
  throw new SandboxError("secret_refused", "more than one line was pasted, and a prompt takes only one", {
    remedy: `give it on stdin: ${fromFile(surroundings)}`,
  });
}

function fromFile(surroundings: Surroundings): string {
  return `${invocationOf(surroundings)} add NAME < FILE`;
}
