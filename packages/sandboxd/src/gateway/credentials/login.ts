import type { Refusal } from "../exchange/refusal.ts";
import type { Resolved } from "./credential.ts";

/** What a login of a CLI holds, in whatever form that CLI keeps it. */
export interface LoginTokens {
  access: string;
  /** undefined where it cannot be renewed. */
  refresh: string | undefined;
  /** undefined where the login does not say. */
  expiresAt: Date | undefined;
}

/** One CLI's way to keep a login. The text is its file, whose other fields are kept as they are. */
export interface LoginFormat {
  /** undefined where the text is no login of this kind. */
  read(text: string): LoginTokens | undefined;
  credential(text: string, origin: string): Resolved;
  request(text: string, env: NodeJS.ProcessEnv): { url: string; body: Record<string, string> };
  /** The text with what the token endpoint answered; undefined where the answer is of no use. */
  renewed(text: string, answer: unknown, now: Date): string | undefined;
  /** The command that logs in anew. */
  command: string;
}

/** Where a login is kept. */
export interface LoginStore {
  origin: string;
  read(): Promise<LoginText>;
  /** Why a renewed login could not be kept: then it is not renewed, or the one that is kept would be worthless. */
  obstacle(): Promise<string | undefined>;
  write(text: string): Promise<void>;
  /** Held while a login is renewed, so that the CLI itself does not do the same. */
  lock(): Promise<() => Promise<void>>;
}

export type LoginText = { ok: true; text: string | undefined } | { ok: false; refusal: Refusal };
