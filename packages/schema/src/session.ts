import { z } from "zod";

/**
 * What travels over a session between the host and the supervisor. The supervisor imports only the types (it
 * is bundled without dependencies); the host parses every answer, since it comes out of a sandbox.
 */
export const protocolVersion = 1;

/** A user to run as. Names are resolved inside the sandbox. */
export const execUser = z.string().regex(/^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?$/, "UID[:GID] or a user name");

export const execSpec = z.object({
  /** Chosen by the caller, so that it is known before the command starts; opening it again attaches. */
  id: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/),
  command: z.array(z.string()).min(1),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().optional(),
  user: execUser.optional(),
  /** Keep stdin open for the caller. Otherwise the command reads end-of-file. */
  stdin: z.boolean().optional(),
  /** Discard output and do not wait: `exec -d`. */
  detach: z.boolean().optional(),
  timeoutMs: z.number().int().positive().optional(),
  spoolBytes: z.number().int().positive().optional(),
});
export type ExecSpec = z.infer<typeof execSpec>;

/** Go on reading an exec from these byte offsets: what the caller already has. Absent: the last acknowledged. */
export const attachSpec = z.object({
  attach: z.string(),
  stdout: z.number().int().nonnegative().optional(),
  stderr: z.number().int().nonnegative().optional(),
});
export type AttachSpec = z.infer<typeof attachSpec>;

export const execOpened = z.object({ id: z.string(), pid: z.number().int(), resumed: z.boolean() });
export type ExecOpened = z.infer<typeof execOpened>;

export const execExit = z.object({
  /** null when a signal ended it. */
  code: z.number().int().nullable(),
  signal: z.string().nullable(),
  reason: z.enum(["exited", "timeout", "killed", "memory"]),
});
export type ExecExit = z.infer<typeof execExit>;

/** The supervisor could not do what was asked; codes are those of errors.ts. */
export const refusal = z.object({ code: z.string(), message: z.string() });
export type Refusal = z.infer<typeof refusal>;

export const execInfo = z.object({
  id: z.string(),
  pid: z.number().int(),
  command: z.array(z.string()),
  startedAt: z.string(),
  exit: execExit.nullable(),
  stdout: z.number().int(),
  stderr: z.number().int(),
});
export type ExecInfo = z.infer<typeof execInfo>;

export const helloRequest = z.object({ holder: z.string(), generation: z.number().int() });
export type HelloRequest = z.infer<typeof helloRequest>;
export const helloAnswer = z.object({
  protocol: z.number().int(),
  boot: z.string(),
  node: z.string(),
  pid: z.number().int(),
  agentUid: z.number().int(),
  isolation: z.enum(["separate-uid", "agent-root", "none"]),
});
export type HelloAnswer = z.infer<typeof helloAnswer>;

/** What the supervisor makes of a fresh container: the user's entry, HOME, git's settings, an owned workspace. */
export const prepareRequest = z.object({
  home: z.string(),
  gitName: z.string().nullable(),
  gitEmail: z.string().nullable(),
  /** Folders to make, owned by the agent and within its reach (clone workspaces). */
  ownedFolders: z.array(z.string()),
  /** Where commands start from now on: a parked sandbox learns it when it is adopted. */
  workDir: z.string().optional(),
  /** For every command from now on. Told here and not in the container's settings, which the engine shows and saves. */
  env: z.record(z.string(), z.string()).optional(),
});
export type PrepareRequest = z.infer<typeof prepareRequest>;

export const signalRequest = z.object({ id: z.string(), signal: z.string() });
export type SignalRequest = z.infer<typeof signalRequest>;

/** What stands where in the sandbox, as the kernel says it: see protocol/mountinfo.ts. */
export const sandboxMount = z.object({
  id: z.number().int(),
  device: z.string(),
  root: z.string(),
  target: z.string(),
});
export type SandboxMount = z.infer<typeof sandboxMount>;

export const sandboxStats = z.object({
  memoryBytes: z.number(),
  memoryLimitBytes: z.number().nullable(),
  cpuUsec: z.number(),
  pids: z.number(),
  pidsLimit: z.number().nullable(),
  processes: z.array(
    z.object({
      pid: z.number(),
      ppid: z.number(),
      uid: z.number(),
      state: z.string(),
      rssBytes: z.number(),
      command: z.string(),
    }),
  ),
});
export type SandboxStats = z.infer<typeof sandboxStats>;

/** What to put in front of a command that the Engine starts on a terminal, so that it runs as the agent. */
export const terminalReservation = z.object({
  prefix: z.array(z.string()),
  /** The command's environment. For the agent alone: what runs in front of it has more rights and obeys none of it. */
  env: z.record(z.string(), z.string()),
});
export type TerminalReservation = z.infer<typeof terminalReservation>;

const port = z.number().int().min(1).max(65_535);

/** The ports of the host that host.docker.internal has from now on. */
export const doorsRequest = z.object({ hostPorts: z.array(port) });
export type DoorsRequest = z.infer<typeof doorsRequest>;

/**
 * interfaces: there is no network but the sandbox's own loopback. denial: and what every policy denies is denied, which
 * needs sandboxd to answer.
 */
export const selfTestRequest = z.object({ of: z.enum(["interfaces", "denial"]) });
export type SelfTestRequest = z.infer<typeof selfTestRequest>;

export const connectRequest = z.object({ port });
export type ConnectRequest = z.infer<typeof connectRequest>;
