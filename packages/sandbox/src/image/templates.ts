import type { AgentName } from "@opentiger/schema";

/** Agents whose CLI the worker image can hold; each is a layer of ops/docker/worker.Dockerfile. */
export const bundledAgents = ["claude", "codex", "opencode"] as const;
export type BundledAgent = (typeof bundledAgents)[number];

/** What an agent's template starts, and the program that must be in the image for it. */
export interface Template {
  readonly agent: AgentName;
  /** The program, looked up in the sandbox's PATH. */
  readonly binary: string;
  /** The interactive start: without questions, since the sandbox is the guard. */
  readonly start: readonly [string, ...string[]];
  /** false: the worker image does not hold it; the user brings an image (`-t`) that does. */
  readonly inWorkerImage: boolean;
}

/** All templates use one image, the worker image: they differ in what they start. */
export const templates: Readonly<Record<AgentName, Template>> = {
  claude: bundled("claude", "claude", "--dangerously-skip-permissions"),
  codex: bundled("codex", "codex", "--dangerously-bypass-approvals-and-sandbox"),
  opencode: bundled("opencode", "opencode"),
  copilot: brought("copilot", "copilot", "--yolo"),
  gemini: brought("gemini", "gemini", "--yolo"),
  kiro: brought("kiro", "kiro-cli", "chat", "--trust-all-tools"),
  cagent: brought("cagent", "cagent", "run", "--yolo"),
  shell: bundled("shell", "bash", "-l"),
};

function bundled(agent: BundledAgent | "shell", binary: string, ...flags: string[]): Template {
  return { agent, binary, start: [binary, ...flags], inWorkerImage: true };
}

function brought(agent: AgentName, binary: string, ...flags: string[]): Template {
  return { agent, binary, start: [binary, ...flags], inWorkerImage: false };
}
