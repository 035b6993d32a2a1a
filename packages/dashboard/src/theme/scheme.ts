import { useSyncExternalStore } from "react";

export const schemes = ["system", "light", "dark"] as const;
export type Scheme = (typeof schemes)[number];

const key = "opentiger.scheme";
const listeners = new Set<() => void>();

/** Light, dark, or as the system has it, which is the default. */
export function useScheme(): [Scheme, (scheme: Scheme) => void] {
  return [useSyncExternalStore(subscribe, chosen), choose];
}

/** Before anything is drawn, so that no page flashes in the other one. */
export function applyScheme(): void {
  const scheme = chosen();
  if (scheme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = scheme;
}

function choose(scheme: Scheme): void {
  localStorage.setItem(key, scheme);
  applyScheme();
  for (const listener of listeners) listener();
}

function chosen(): Scheme {
  const kept = localStorage.getItem(key);
  return schemes.find((scheme) => scheme === kept) ?? "system";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
