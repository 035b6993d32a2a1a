import type { Billing } from "../credentials/credential.ts";

/** What an agent finds in a sandbox in place of its credentials. Nothing in it is secret. */
export interface Placeholders {
  env: Record<string, string>;
  /** Paths are below HOME. */
  files: { path: string; content: string; mode: number }[];
}

/** What a placeholder is made from. */
export interface PlaceholderSetting {
  /** Where the gateway is for the agent, without a slash at its end. */
  gateway: string;
  /** Which credentials there are; undefined where there is none. */
  anthropic: Billing | undefined;
  openai: Billing | undefined;
  /** Whether there is an API key of OpenAI's, whatever else there is. */
  openaiKey: boolean;
  /** Host mode: the token by which the gateway knows the caller. It is sent in place of a placeholder. */
  token?: string | undefined;
}

export const insideGateway = "http://127.0.0.1:3129";

/** A string that everybody recognises as none of the real ones. */
export function placeholderKey({ token }: PlaceholderSetting): string {
  return token ?? "opentiger-placeholder-key";
}

export const ownerOnly = 0o600;
