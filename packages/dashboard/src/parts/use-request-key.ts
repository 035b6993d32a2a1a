import { useState } from "react";
import { newKey } from "../api/new-key.ts";

/** The key of a request that makes something: the same as long as what is asked for is, so that it is made once. */
export function useRequestKey(asked: unknown): string {
  const written = JSON.stringify(asked);
  const [known, setKnown] = useState(() => ({ written, key: newKey() }));
  if (known.written === written) return known.key;
  const next = { written, key: newKey() };
  setKnown(next);
  return next.key;
}
