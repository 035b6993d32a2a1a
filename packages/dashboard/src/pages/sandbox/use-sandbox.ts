import { type MutationKey, useIsMutating, useQuery } from "@tanstack/react-query";
import { type Environment, type SandboxItem, sandboxesQuery } from "../../api/sandboxes.ts";

/** One by its name, wherever it is; undefined with `known` when there is none. */
export function useSandbox(name: string): {
  sandbox: SandboxItem | undefined;
  known: boolean;
  error: unknown;
} {
  const docker = useQuery(sandboxesQuery("sandbox"));
  const host = useQuery(sandboxesQuery("host"));
  const all = [...(docker.data?.items ?? []), ...(host.data?.items ?? [])];
  const sandbox = all.find((item) => item.own && item.name === name);
  return {
    sandbox,
    known: docker.data !== undefined && !host.isPending,
    error: docker.data ? null : docker.error,
  };
}

/** By which it is known that somebody here is stopping it. */
export function stopKey(name: string): MutationKey {
  return ["sandbox", name, "stop"];
}

/** Whether it runs, and nobody here is stopping it: only then may it be asked what goes on inside, which would start it. */
export function useIsRunning({ name, own, status }: Pick<SandboxItem, "name" | "own" | "status">): boolean {
  const stopping = useIsMutating({ mutationKey: stopKey(name) });
  return own && status === "running" && stopping === 0;
}

export function environmentOf({ backend }: Pick<SandboxItem, "backend">): Environment {
  return backend === "host" ? "host" : "sandbox";
}
