import { posix } from "node:path";

/**
 * Whether a link of the tree leads to a place within it. One that goes back up after it has gone down is none: where
 * that ends depends on other links.
 */
export function staysInside(path: string, target: string | null): boolean {
  if (target === null || target === "" || target.startsWith("/") || target.includes("\0")) return false;
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const down = parts.findIndex((part) => part !== "..");
  if (down !== -1 && parts.slice(down).includes("..")) return false;
  const end = posix.join(posix.dirname(path), target).split("/");
  return end[0] !== ".." && !end.some((part) => part.toLowerCase() === ".git");
}
