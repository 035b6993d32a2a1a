import { type DockerListener, onDockerClosing } from "./docker-parent.ts";

export interface InterruptionListener extends DockerListener {
  /** Somebody wants the command to end. */
  signalled(signal: NodeJS.Signals): void;
}

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/**
 * Listens for every way in which we are told to end: signals, and the socket which `docker` closes instead of
 * signalling its plugin. Returns how to stop listening.
 */
export function onInterruption(listener: InterruptionListener, env: NodeJS.ProcessEnv): () => void {
  const handlers = forwarded.map((signal) => [signal, () => listener.signalled(signal)] as const);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  const leaveDocker = onDockerClosing(env["DOCKER_CLI_PLUGIN_SOCKET"], listener);
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
    leaveDocker();
  };
}
