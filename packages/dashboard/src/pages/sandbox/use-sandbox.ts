import { useQuery } from "@tanstack/react-query";
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

export function environmentOf({ backend }: Pick<SandboxItem, "backend">): Environment {
  return backend === "host" ? "host" : "sandbox";
}
