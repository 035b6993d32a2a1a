import { useMutation, useQueryClient } from "@tanstack/react-query";
import { say, sayFailure } from "./toast.tsx";

/**
 * Something that a person asks for. What came of it is said; what it changed is read anew, also where the server's
 * event of it is late.
 */
export function useAction<Given = void, Answer = unknown>(
  act: (given: Given) => Promise<Answer>,
  { done, onDone }: { done?: string; onDone?: (answer: Answer) => void } = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: (answer) => {
      if (done !== undefined) say(done);
      onDone?.(answer);
    },
    onError: sayFailure,
    onSettled: () => client.invalidateQueries(),
  });
}
