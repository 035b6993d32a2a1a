import { asSandboxError, sentenceOf } from "../backends/docker/engine/errors.ts";
import { SandboxError } from "../errors.ts";
import type { BuildEvent } from "./progress.ts";

/** Remembers the end of a build's output, which is where its cause stands. */
export class BuildLog {
  #lines: string[] = [];
  #step = "";

  add(event: BuildEvent): void {
    if (event.kind === "step") this.#step = `step ${event.step}/${event.steps}, ${shorten(event.text)}`;
    if (event.kind === "output") this.#lines = [...this.#lines, event.text].slice(-keptLines);
  }

  /** The typed error for a build that the engine, or a program it ran, gave up. */
  failure(what: string, reason: string): SandboxError {
    const where = this.#step === "" ? "" : ` at ${this.#step}`;
    const output = this.#lines.map((line) => `\n  ${line}`).join("");
    const { code, remedy } = diagnose(`${reason}${output}`);
    return new SandboxError(code, `Building ${what} failed${where}: ${reason}${output}`, { remedy });
  }
}

/** Makes a typed error of whatever a call to the engine threw. */
export function engineFailure(what: string, error: unknown, signal: AbortSignal | undefined): SandboxError {
  if (error instanceof SandboxError) return error;
  if (signal?.aborted)
    return new SandboxError("cancelled", `Building ${what} was cancelled.`, { cause: error });
  const known = asSandboxError(error, addressOf(error));
  if (known.code !== "internal") return known;
  const reason = sentenceOf(error);
  const { code, remedy } = diagnose(reason);
  return new SandboxError(code, `Building ${what} failed: ${reason}`, { remedy, cause: error });
}

/** The engine that a failed connection was for, as Node tells it. */
function addressOf(error: unknown): string {
  return error instanceof Error && "address" in error ? String(error.address) : "DOCKER_HOST";
}

const keptLines = 12;

/** The first pattern that fits says what to do; they go from the particular to the general. */
function diagnose(text: string): { code: "image_build_failed" | "disk_full"; remedy: string } {
  if (/no space left on device/i.test(text)) {
    return { code: "disk_full", remedy: "Free disk space, for example with: docker system prune" };
  }
  const remedy =
    remedies.find(([pattern]) => pattern.test(text))?.[1] ?? "Read the output above and build again.";
  return { code: "image_build_failed", remedy };
}

const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /self[- ]signed certificate|SELF_SIGNED_CERT|unable to get (local )?issuer|certificate verify failed/i,
    "Set OPENTIGER_BUILD_CA_FILE to the PEM file of the authority that inspects TLS on this network.",
  ],
  [
    /pull access denied|manifest unknown|toomanyrequests|Get "?https:\/\/|registry-1\.docker\.io/i,
    "Where no registry is reachable, make the base from Debian packages: opentiger image build --base debian",
  ],
  [
    /could not resolve|temporary failure resolving|ENOTFOUND|EAI_AGAIN|network is unreachable|timed out/i,
    "Containers need to reach the Debian and npm registries: check the network and the engine's DNS, then build again.",
  ],
];

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
