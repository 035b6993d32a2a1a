import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import type { SandboxSummary, WorkspaceKind } from "@opentiger/schema";
import { SandboxError } from "../../errors.ts";
import { checkName, defaultNames } from "../../names.ts";
import type {
  Backend,
  CreateOptions,
  OpenOptions,
  RemoveOptions,
  Sandbox,
  StopOptions,
} from "../../sandbox.ts";
import { openDialledSession } from "../../session/session.ts";
import { sandboxOverSession } from "../../session/session-sandbox.ts";
import { ensureCarrierFolder, removeCarrierFolder } from "../../state/carrier-folder.ts";
import { unfinished } from "../../state/creator.ts";
import { openState, type State } from "../../state/state.ts";
import { placeSupervisor, removeSupervisor } from "../../state/supervisor-file.ts";
import { refuseCloneOptions } from "../../workspace/clone-options.ts";
import { refuseUnfetched } from "../../workspace/refuse-unfetched.ts";
import { type CheckedWorkspace, checkWorkspaces } from "../../workspace/rules.ts";
import { stillStopped } from "../stopped.ts";
import {
  cloneEnvironment,
  fillHostClone,
  hostClonePath,
  makeCloneFolder,
  removeHostClone,
  removeStrayClones,
} from "./host-clone.ts";
import { type HostRecord, HostRecords, isAbandoned, isBeingMade } from "./host-record.ts";
import { inheritedVariables } from "./inherited-variables.ts";
import { endAll, isAlive, startSupervisor, supervisorConfig } from "./supervisor-process.ts";

const weakness =
  "host mode: nothing is isolated. Commands run as you, with your files, your network and your credentials";

/**
 * Sandboxes that are none: the same supervisor as a process of the user's. It exists for machines without Docker
 * and for those who chose it; whoever makes one passes the weakness on to the user.
 */
export class HostBackend implements Backend {
  readonly kind = "host";
  readonly #state: State;
  readonly #records: HostRecords;

  constructor(state: State = openState()) {
    this.#state = state;
    this.#records = new HostRecords(state.folder);
  }

  async create(options: CreateOptions): Promise<Sandbox> {
    const kind = options.workspaceKind ?? "direct";
    refuseContradictions(kind, options);
    const workspaces = checkWorkspaces(options.workspaces, { home: homedir(), paths: [this.#state.folder] });
    const [first] = workspaces;
    const record = await this.#claim(options, kind, workspaces);
    options.onProgress?.(weakness);
    try {
      const sandbox = await this.#connect(record, options.signal);
      try {
        const repository =
          kind === "clone" && first ? await fillHostClone(sandbox, first.path, options) : null;
        if (!this.#records.change(record, { repository, creatorPid: null })) throw notFound(record.name);
        return sandbox;
      } catch (error) {
        await sandbox.close();
        throw error;
      }
    } catch (error) {
      await this.#discard(record);
      throw error;
    }
  }

  async open(name: string, { stopped }: OpenOptions = {}): Promise<Sandbox> {
    const record = this.#find(name);
    if (record.removing) throw notFound(name);
    if (isBeingMade(record)) throw unfinished(record);
    if (record.creatorPid !== null) throw abandoned(record);
    if (stopped && !(record.supervisor && isAlive(record.supervisor))) throw stillStopped(name);
    return this.#connect(record);
  }

  async list(): Promise<SandboxSummary[]> {
    return this.#records.list().map((record) => ({
      name: record.name,
      id: record.id,
      agent: record.agent,
      backend: "host",
      status: record.supervisor && isAlive(record.supervisor) ? "running" : "stopped",
      workspaceKind: record.workspaceKind,
      workspaces: record.workspaces,
      image: "",
      network: "open",
      createdAt: record.createdAt,
      own: true,
    }));
  }

  async inspect(name: string): Promise<Record<string, unknown>> {
    // The values of its environment may be anybody's secrets.
    const { env: _env, ...record } = this.#find(name);
    return { ...record, backend: "host", weakness, folder: this.#records.folderOf(name) };
  }

  /** Ends the supervisor and every command it ever started. */
  async stop(name: string, { id }: StopOptions = {}): Promise<void> {
    const record = this.#find(name);
    if (id !== undefined && record.id !== id) throw notFound(name);
    await endAll(record);
    this.#records.change(record, { supervisor: null });
  }

  /** Nothing pauses what runs on the host itself. */
  async resume(name: string): Promise<void> {
    this.#find(name);
  }

  /** Commits in a clone that are nowhere else stop it first. */
  async remove(name: string, options: RemoveOptions = {}): Promise<void> {
    const record = this.#find(name);
    const { repository, workspaces } = record;
    if (options.id !== undefined && record.id !== options.id) throw notFound(name);
    if (isBeingMade(record)) throw unfinished(record);
    if (repository && record.creatorPid === null && !options.force) {
      const path = workspaces[0]?.path ?? "";
      await refuseUnfetched({ name, repository, path, open: () => this.open(name) });
    }
    await this.#discard(record);
  }

  async save(): Promise<never> {
    throw new SandboxError("unsupported", "a host sandbox has no image that could be saved", {
      remedy: "create the sandbox with the docker backend",
    });
  }

  async reset(): Promise<string[]> {
    const records = this.#records.list().filter((record) => !isBeingMade(record));
    for (const record of records) await this.#discard(record);
    await this.prune();
    return records.map(({ name }) => name);
  }

  /** Collects what creators left that died, and clones whose record is gone. */
  async prune(): Promise<string[]> {
    const abandoned = this.#records.list().filter(isAbandoned);
    for (const record of abandoned) await this.#discard(record);
    this.#records.collect();
    removeStrayClones(this.#state.folder, () => this.#records.list().map(({ id }) => id));
    return abandoned.map(({ name }) => name);
  }

  async #claim(
    options: CreateOptions,
    workspaceKind: WorkspaceKind,
    checked: readonly CheckedWorkspace[],
  ): Promise<HostRecord> {
    const [first] = checked;
    const names = options.name ? [checkName(options.name)] : defaultNames(options.agent, first?.path ?? "");
    for (const name of names) {
      const id = randomBytes(8).toString("hex");
      const clone = { path: hostClonePath(this.#state.folder, id, first?.path ?? ""), readOnly: false };
      const direct = checked.map(({ path, readOnly }) => ({ path, readOnly }));
      const record: HostRecord = {
        version: 1,
        id,
        name,
        agent: options.agent,
        workspaceKind,
        workspaces: workspaceKind === "clone" ? [clone] : direct,
        repository: null,
        env: { ...options.env },
        inherit: options.inherit ? [...options.inherit] : null,
        createdAt: new Date().toISOString(),
        creatorPid: process.pid,
        removing: null,
        supervisor: null,
      };
      const holder = this.#records.read(name);
      if (holder && isAbandoned(holder)) await this.#discard(holder);
      if (this.#records.create(record)) return record;
    }
    throw new SandboxError("already_exists", `there is a sandbox called ${options.name ?? "so"} already`, {
      remedy: "choose another name with --name, or remove it with `opentiger sandbox rm`",
    });
  }

  /** Everything it started, everything it has; the record goes last. Nobody starts its supervisor again meanwhile. */
  async #discard(record: HostRecord): Promise<void> {
    this.#records.markRemoving(record);
    await endAll(record);
    removeCarrierFolder(this.#state.folder, record.id);
    removeSupervisor(this.#state.folder, record.id);
    removeHostClone(this.#state.folder, record.id);
    this.#records.drop(record);
  }

  #find(name: string): HostRecord {
    const record = this.#records.read(checkName(name));
    if (record) return record;
    throw notFound(name);
  }

  /** Starts the supervisor where none is alive. */
  async #connect(record: HostRecord, signal?: AbortSignal): Promise<Sandbox> {
    const { folder } = this.#state;
    const carrier = ensureCarrierFolder(folder, record.id);
    const isClone = record.workspaceKind === "clone";
    if (!record.supervisor || !isAlive(record.supervisor)) {
      if (isClone) makeCloneFolder(record.workspaces[0]?.path ?? "");
      const file = placeSupervisor(folder, record.id);
      const inherited = inheritedVariables(process.env, record.inherit);
      const supervisor = startSupervisor(record.id, file, supervisorConfig(record, carrier), {
        folder: this.#records.folderOf(record.name),
        env: isClone ? cloneEnvironment(folder, inherited) : inherited,
      });
      if (!this.#records.change(record, { supervisor })) {
        // Who removes it has perhaps looked for its processes already.
        await endAll({ ...record, supervisor });
        throw notFound(record.name);
      }
    }
    const holder = { holder: `client-${process.pid}`, generation: 0 };
    const session = await openDialledSession(carrier, holder, signal ? { signal } : {});
    const { name, id, agent, workspaceKind, workspaces } = record;
    const facts = { name, id, agent, backend: "host", workspaceKind, workspaces, weakness } as const;
    return sandboxOverSession(facts, session, () => Promise.reject(noTerminal()));
  }
}

function refuseContradictions(kind: WorkspaceKind, options: CreateOptions): void {
  refuseCloneOptions(kind, options);
  if (kind === "direct" || options.workspaces.length === 1) return;
  throw new SandboxError("usage", "a clone sandbox on the host has exactly one workspace", {
    remedy: "name one repository, or leave out --clone",
  });
}

function notFound(name: string): SandboxError {
  return new SandboxError("not_found", `there is no host sandbox called ${name}`, {
    remedy: "`opentiger sandbox ls` shows those there are",
  });
}

function abandoned({ name, creatorPid }: HostRecord): SandboxError {
  return new SandboxError(
    "sandbox_broken",
    `${name} is not finished: process ${creatorPid}, which was making it, has ended`,
    { remedy: "remove it with `opentiger sandbox rm`, and make it again" },
  );
}

function noTerminal(): SandboxError {
  return new SandboxError("unsupported", "host mode has no terminal of its own", {
    remedy: "run the command in this terminal: it would be the same",
  });
}
