import { type MutationKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { say, sayFailure } from "./toast.tsx";

interface ActionOptions<Answer> {
  /** What is said then. */
  done?: string;
  onDone?: (answer: Answer) => void;
  /** By which others see that it goes on, until what it changed has been read. */
  key?: MutationKey;
}

/**
 * Something that a person asks for. What came of it is said; what it changed is read anew, also where the server's
 * event of it is late.
 */
export function useAction<Given = void, Answer = unknown>(
  act: (given: Given) => Promise<Answer>,
  { done, onDone, key }: ActionOptions<Answer> = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    ...(key ? { mutationKey: key } : {}),
    onSuccess: (answer) => {
      if (done !== undefined) say(done);
      onDone?.(answer);
    },
    onError: sayFailure,
    onSettled: () => client.invalidateQueries(),
  });
}
