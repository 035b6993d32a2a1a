import type { Backend } from "@opentiger/sandbox";

export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
}

/** What a command may touch of the world around it. One object, so that a test can hand in its own. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly now: () => Date;
  readonly stdin: { readonly isTTY?: boolean | undefined };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** What an error begins with. */
  readonly program: "docker sandbox" | "opentiger" | "secrets";
  /** How the user called us: help, remedies and errors say it the same way. */
  readonly invocation: "docker sandbox" | "opentiger sandbox";
  /** The docker context named before the verb, as in `docker --context x sandbox ls`. */
  readonly context: string | undefined;
  /** Connects to the engine that is asked for; each backend is connected at most once. */
  connect(context: string | undefined): Promise<Backend>;
  /** The status this process will end with; the worst of those reported. */
  exitWith(status: number): void;
}
