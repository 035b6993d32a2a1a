import type { Api } from "./api.ts";

const usual: Readonly<Record<Api["name"], readonly string[]>> = {
  anthropic: ["claude-opus-4-8", "claude-sonnet-5", "claude-haiku-4-5"],
  openai: ["gpt-6.1-sol", "gpt-5.5"],
};

/** The list of models, as the API gives it. Codex asks ChatGPT for `models`, with more of each than we know. */
export function modelList(api: Api, names: readonly string[] = usual[api.name]): object {
  if (api.name === "openai")
    return {
      object: "list",
      data: names.map((id) => ({ id, object: "model", created: 0, owned_by: "model-sim" })),
      models: [],
    };
  return {
    data: names.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" })),
    has_more: false,
    first_id: names[0] ?? null,
    last_id: names.at(-1) ?? null,
  };
}
