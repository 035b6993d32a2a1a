import { onInterruption } from "../exec/interruption.ts";

/**
 * Runs something long that cleans up after itself when asked to. The first Ctrl-C asks; the second does not wait.
 */
export async function cancellable<T>(
  env: NodeJS.ProcessEnv,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stopListening = onInterruption(
    {
      signalled: () => (controller.signal.aborted ? process.exit(130) : controller.abort()),
      abandoned: () => controller.abort(),
    },
    env,
  );
  try {
    return await act(controller.signal);
  } finally {
    stopListening();
  }
}
