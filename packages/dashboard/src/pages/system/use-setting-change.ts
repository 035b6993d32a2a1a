import { useMutation, useQueryClient } from "@tanstack/react-query";

/** As useAction, but what is wrong stands at the field and not in a corner. */
export function useSettingChange<Given, Answer>(act: (given: Given) => Promise<Answer>, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: () => {
      onDone();
      return client.invalidateQueries({ queryKey: ["system"] });
    },
  });
}
