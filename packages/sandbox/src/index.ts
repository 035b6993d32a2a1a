export { reachSupervisor } from "./backends/docker/container/reach.ts";
export { tellSettings } from "./backends/docker/container/settings.ts";
export { connectDocker, DockerBackend, type DockerOptions } from "./backends/docker/docker-backend.ts";
export { isDockerAvailable } from "./backends/docker/engine/available.ts";
export { connectEngine } from "./backends/docker/engine/engine.ts";
export { asSandboxError } from "./backends/docker/engine/errors.ts";
export { type AgentCli, type AgentCliQuestion, findAgentCli } from "./backends/docker/image/agent-cli.ts";
export type { SavedImage, SavedImages } from "./backends/docker/image/saved.ts";
export { weakNetwork } from "./backends/docker/plan/weakness.ts";
export type { PoolStatus } from "./backends/docker/pool/keep.ts";
export { mostParked, type PoolSettings } from "./backends/docker/pool/settings.ts";
export type { WarmOptions } from "./backends/docker/pool/warm.ts";
export type { WarmSandbox } from "./backends/docker/pool/warm-sandbox.ts";
export { HostBackend } from "./backends/host/host-backend.ts";
export { bridge } from "./carriers/exec-stdio.ts";
export { dialBack } from "./carriers/socket.ts";
export { listenedHostPorts } from "./egress/host-ports.ts";
export { listenForEgress, type TakeEgress } from "./egress/listen.ts";
export type { Outward } from "./egress/outward.ts";
export { egressOverStdio } from "./egress/over-stdio.ts";
export { SandboxError } from "./errors.ts";
export { copyIn } from "./files/copy-in.ts";
export { copyOut } from "./files/copy-out.ts";
export { printable } from "./files/untrusted-text.ts";
export { type BuildOptions, type BuiltImage, buildWorkerImage } from "./image/build.ts";
export { defaultWorkerImage, imageReference, workerImageName } from "./image/name.ts";
export type { BuildEvent } from "./image/progress.ts";
export { type BundledAgent, bundledAgents, type Template, templates } from "./image/templates.ts";
export { hostModeForced } from "./loop/loop-backend.ts";
export { createLoopSandbox, destroyLoopSandbox, execInSandbox } from "./loop/loop-sandbox.ts";
export {
  type LoopCredentials,
  type LoopHostRun,
  type LoopSurroundings,
  useLoopSurroundings,
} from "./loop/loop-surroundings.ts";
export { type LoopTool, loopSandboxName } from "./loop/loop-tool.ts";
export { type SpawnedTool, type SpawnToolOptions, spawnTool, spawnToolHost } from "./loop/spawn-tool.ts";
export { rewriteLoopback } from "./loopback/rewrite.ts";
export { alwaysDenied } from "./protocol/doors.ts";
export type {
  Backend,
  CreateOptions,
  ExecOptions,
  Execution,
  Limits,
  OpenOptions,
  OutputChunk,
  RemoveOptions,
  Sandbox,
  Terminal,
  TerminalOptions,
} from "./sandbox.ts";
export { type Collected, collect, exitCode } from "./session/collect.ts";
export { openDialledSession, openSession, type Session } from "./session/session.ts";
export { writeAtomically } from "./state/atomic-file.ts";
export { ensureCarrierFolder, socketFolder } from "./state/carrier-folder.ts";
export { withFileLock } from "./state/file-lock.ts";
export { isShared, stateFolder } from "./state/folder.ts";
export { processExists, startTimeOf } from "./state/process-stat.ts";
export { openState, type State } from "./state/state.ts";
export { execVariable, hostSandboxVariable, killMarked } from "./supervisor/processes.ts";
export { type FetchOptions, type FetchResult, fetchCommits } from "./workspace/fetch.ts";
export { gitEnvironment, hardening, ownRepository } from "./workspace/git-environment.ts";
export { type GitOptions, git, gitAnswer, gitStream } from "./workspace/host-git.ts";
export { type PutCommitOptions, putCommit } from "./workspace/put-commit.ts";
export {
  checkComplete,
  namedBranch,
  type ObjectFormat,
  openRepository,
  type Repository,
  resolveCommit,
  shallowBoundary,
} from "./workspace/repository.ts";
export { defaultHome } from "./workspace/rules.ts";
export { hasUncommitted } from "./workspace/uncommitted.ts";
export { refuseWaitingFiles } from "./workspace/waiting-files.ts";
