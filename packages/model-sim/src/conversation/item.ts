/** One thing in a conversation, in the same words for both APIs and without what CLIs put in around it. */
export type Item = UserItem | AssistantItem | CallItem | ResultItem;

export interface UserItem {
  kind: "user";
  text: string;
}

export interface AssistantItem {
  kind: "assistant";
  text: string;
}

export interface CallItem {
  kind: "call";
  id: string;
  name: string;
  /** As JSON with sorted keys; of a tool that takes plain text, that text. */
  input: string;
}

export interface ResultItem {
  kind: "result";
  id: string;
  text: string;
  /** Where the API has a word for it. */
  error: boolean;
}

/** The same value is always the same text, in whatever order its keys came. */
export function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
