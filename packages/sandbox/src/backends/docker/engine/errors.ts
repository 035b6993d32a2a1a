import { SandboxError } from "../../../errors.ts";

/** Whatever went wrong between us and the engine, as an error with a code and a remedy. Ours pass unchanged. */
export function asSandboxError(error: unknown, address: string): SandboxError {
  if (error instanceof SandboxError) return error;
  if (isAbort(error)) return new SandboxError("cancelled", "cancelled", { cause: error });
  return connectionError(error, address) ?? answerError(error) ?? unknownError(error);
}

export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" ? status : undefined;
}

/** The engine's own sentence, without what the client library wraps around it. */
export function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^\(HTTP code \d+\) [^-]*- /, "").trim();
}

function isAbort(error: unknown): boolean {
  return (
    error instanceof Error && (error.name === "AbortError" || ("code" in error && error.code === "ABORT_ERR"))
  );
}

function connectionError(error: unknown, address: string): SandboxError | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const connecting = "syscall" in error && ["connect", "getaddrinfo"].includes(String(error.syscall));
  if (connecting && (error.code === "EACCES" || error.code === "EPERM")) {
    return new SandboxError("engine_permission", `you may not speak to the Docker engine at ${address}`, {
      remedy:
        "sudo usermod -aG docker $USER and log in again, or use rootless Docker: https://docs.docker.com/engine/security/rootless/",
      cause: error,
    });
  }
  if (connecting || error.code === "ECONNRESET" || error.code === "EPIPE") {
    return new SandboxError(
      "engine_unavailable",
      `the Docker engine at ${address} does not answer: ${error.message}`,
      {
        remedy:
          "start Docker (sudo systemctl start docker, or Docker Desktop), or choose another engine with --context or DOCKER_HOST",
        cause: error,
      },
    );
  }
  return undefined;
}

function answerError(error: unknown): SandboxError | undefined {
  const status = statusOf(error);
  if (status === undefined) return undefined;
  const sentence = sentenceOf(error);
  if (/no space left on device|disk quota exceeded/i.test(sentence)) {
    return new SandboxError("disk_full", `the engine has no space left: ${sentence}`, {
      remedy: "free some with `docker system prune` and `opentiger sandbox prune`",
      cause: error,
    });
  }
  if (/bind source path does not exist/i.test(sentence)) {
    return new SandboxError(
      "workspace_missing",
      `a folder of the sandbox is not there for the engine: ${sentence}`,
      {
        remedy: "put the folder back; where the engine runs on another machine, use --clone",
        cause: error,
      },
    );
  }
  if (/(unknown|invalid) runtime|runtime .* not found/i.test(sentence)) {
    return new SandboxError(
      "unsupported",
      `the engine does not have the runtime that was asked for: ${sentence}`,
      {
        remedy: "install it and name it in the engine's settings, or unset SANDBOX_DOCKER_RUNTIME",
        cause: error,
      },
    );
  }
  if (/network .*not found/i.test(sentence)) {
    return new SandboxError(
      "unsupported",
      `the engine does not have the network that was asked for: ${sentence}`,
      {
        remedy: "set SANDBOX_DOCKER_NETWORK to one of `docker network ls`, or unset it for bridge",
        cause: error,
      },
    );
  }
  return new SandboxError("internal", `the Docker engine refused: ${sentence}`, {
    remedy: "see `docker info` and the engine's log",
    cause: error,
  });
}

function unknownError(error: unknown): SandboxError {
  return new SandboxError("internal", error instanceof Error ? error.message : String(error), {
    cause: error,
  });
}
