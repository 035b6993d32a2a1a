import { type DockerListener, onDockerClosing } from "./docker-parent.ts";

export interface InterruptionListener extends DockerListener {
  /** Somebody wants the command to end. */
  signalled(signal: NodeJS.Signals): void;
}

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/**
 * Listens for every way in which we are told to end: signals, and the socket which `docker` closes instead of
 * signalling its plugin. Ctrl-C reaches docker and us at once: what docker makes of it is then no second wish.
 * Returns how to stop listening.
 */
export function onInterruption(listener: InterruptionListener, env: NodeJS.ProcessEnv): () => void {
  let signalled = false;
  const handlers = forwarded.map((signal) => [signal, () => take(signal)] as const);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  const leaveDocker = onDockerClosing(env["DOCKER_CLI_PLUGIN_SOCKET"], {
    signalled: (signal) => {
      if (!signalled) take(signal);
    },
    abandoned: () => listener.abandoned(),
  });
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
    leaveDocker();
  };

  function take(signal: NodeJS.Signals): void {
    signalled ||= isEnding(signal);
    listener.signalled(signal);
  }
}

/** The other signals mean what the command takes them for. */
export function isEnding(signal: NodeJS.Signals): boolean {
  return signal !== "SIGUSR1" && signal !== "SIGUSR2";
}
