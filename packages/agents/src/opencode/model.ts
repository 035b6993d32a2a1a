export interface ModelName {
  provider: string;
  model: string;
  /** As OpenCode wants it. */
  whole: string;
}

/** OpenCode names the provider in front of a model. Where a user leaves it out, it is the one who makes such models. */
export function modelName(told: string): ModelName {
  const slash = told.indexOf("/");
  const provider = slash === -1 ? makerOf(told) : told.slice(0, slash);
  const model = told.slice(slash + 1);
  return { provider, model, whole: `${provider}/${model}` };
}

function makerOf(model: string): string {
  return model.startsWith("claude") ? "anthropic" : "openai";
}
