import type { SandboxRecord } from "@opentiger/schema";

const prefix = "opentiger-";

/**
 * What `docker ps` shows. The id makes it unlike any other on the engine, whichever instance made it, so names of
 * sandboxes need to be unique within an instance only. Docker's names have no `+`.
 */
export function containerName(record: Pick<SandboxRecord, "name" | "id">): string {
  return `${prefix}${record.name.replaceAll("+", ".")}-${record.id}`;
}

/** The sandbox's name as far as the container's tells it: for those of other instances. */
export function nameWithin(container: string, id: string): string {
  const name = container.replace(/^\//, "");
  const inner = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  return id !== "" && inner.endsWith(`-${id}`) ? inner.slice(0, -id.length - 1) : inner;
}

/** Hosts have letters, digits and dashes, at most 63 of them. */
export function hostName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9-]+/g, "-").replaceAll(/^-+|-+$/g, "");
  return plain.slice(0, 63).replace(/-+$/, "") || "sandbox";
}
