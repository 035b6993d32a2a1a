/** Why a signal was aborted, as an error: whoever aborts may give anything. */
export function abortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error("cancelled", { cause: reason });
}
