import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import type { SandboxSummary } from "@opentiger/schema";
import { SandboxError } from "../../errors.ts";
import { checkName, defaultNames } from "../../names.ts";
import type { Backend, CreateOptions, Sandbox } from "../../sandbox.ts";
import { openDialledSession } from "../../session/session.ts";
import { sandboxOverSession } from "../../session/session-sandbox.ts";
import { ensureCarrierFolder, removeCarrierFolder } from "../../state/carrier-folder.ts";
import { openState, type State } from "../../state/state.ts";
import { placeSupervisor, removeSupervisor } from "../../state/supervisor-file.ts";
import type { SupervisorConfig } from "../../supervisor/config.ts";
import { hostSandboxVariable, killMarked } from "../../supervisor/processes.ts";
import { checkWorkspaces } from "../../workspace/rules.ts";
import { type HostRecord, HostRecords } from "./host-record.ts";
import { isAlive, startSupervisor } from "./supervisor-process.ts";

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
    if (options.workspaceKind === "clone") throw noClone();
    const workspaces = checkWorkspaces(options.workspaces, { home: homedir(), paths: [this.#state.folder] });
    const mounts = workspaces.map(({ path, readOnly }) => ({ path, readOnly }));
    const record = this.#claim(options, mounts);
    options.onProgress?.(weakness);
    try {
      return await this.#connect(record, options.signal);
    } catch (error) {
      await this.remove(record.name);
      throw error;
    }
  }

  async open(name: string): Promise<Sandbox> {
    return this.#connect(this.#find(name));
  }

  async list(): Promise<SandboxSummary[]> {
    return this.#records.list().map((record) => ({
      name: record.name,
      id: record.id,
      agent: record.agent,
      backend: "host",
      status: record.supervisor && isAlive(record.supervisor) ? "running" : "stopped",
      workspaceKind: "direct",
      workspaces: record.workspaces,
      image: "",
      network: "open",
      createdAt: record.createdAt,
      own: true,
    }));
  }

  async inspect(name: string): Promise<Record<string, unknown>> {
    const record = this.#find(name);
    return { ...record, backend: "host", weakness, folder: this.#records.folderOf(name) };
  }

  /** Ends the supervisor and every command it ever started. */
  async stop(name: string): Promise<void> {
    const record = this.#find(name);
    await killMarked({ kind: "environment", variable: hostSandboxVariable, value: record.id });
    this.#records.update({ ...record, supervisor: null });
  }

  /** Nothing pauses what runs on the host itself. */
  async resume(name: string): Promise<void> {
    this.#find(name);
  }

  async remove(name: string): Promise<void> {
    const record = this.#find(name);
    await this.stop(name);
    removeCarrierFolder(this.#state.folder, record.id);
    removeSupervisor(this.#state.folder, record.id);
    this.#records.drop(name);
  }

  async save(): Promise<never> {
    throw new SandboxError("unsupported", "a host sandbox has no image that could be saved", {
      remedy: "create the sandbox with the docker backend",
    });
  }

  async reset(): Promise<string[]> {
    const names = this.#records.list().map((record) => record.name);
    for (const name of names) await this.remove(name);
    return names;
  }

  /** Nothing is made in steps here, so nothing is ever left half-made. */
  async prune(): Promise<string[]> {
    return [];
  }

  #claim(options: CreateOptions, workspaces: HostRecord["workspaces"]): HostRecord {
    const names = options.name
      ? [checkName(options.name)]
      : defaultNames(options.agent, workspaces[0]?.path ?? "");
    for (const name of names) {
      const record: HostRecord = {
        version: 1,
        id: randomBytes(8).toString("hex"),
        name,
        agent: options.agent,
        workspaces,
        createdAt: new Date().toISOString(),
        supervisor: null,
      };
      if (this.#records.create(record)) return record;
    }
    throw new SandboxError("already_exists", `there is a sandbox called ${options.name ?? "so"} already`, {
      remedy: "choose another name with --name, or remove it with `opentiger sandbox rm`",
    });
  }

  #find(name: string): HostRecord {
    const record = this.#records.read(checkName(name));
    if (record) return record;
    throw new SandboxError("not_found", `there is no host sandbox called ${name}`, {
      remedy: "`opentiger sandbox ls` shows those there are",
    });
  }

  /** Starts the supervisor where none is alive. */
  async #connect(record: HostRecord, signal?: AbortSignal): Promise<Sandbox> {
    const carrier = ensureCarrierFolder(this.#state.folder, record.id);
    if (!record.supervisor || !isAlive(record.supervisor)) {
      const file = placeSupervisor(this.#state.folder, record.id);
      const supervisor = startSupervisor(
        record.id,
        file,
        configOf(record, carrier),
        this.#records.folderOf(record.name),
      );
      this.#records.update({ ...record, supervisor });
    }
    const holder = { holder: `client-${process.pid}`, generation: 0 };
    const session = await openDialledSession(carrier, holder, signal ? { signal } : {});
    const { name, id, agent, workspaces } = record;
    const facts = {
      name,
      id,
      agent,
      backend: "host",
      workspaceKind: "direct",
      workspaces,
      weakness,
    } as const;
    return sandboxOverSession(facts, session, () => Promise.reject(noTerminal()));
  }
}

function configOf(record: HostRecord, carrierDir: string): SupervisorConfig {
  return {
    isolation: "none",
    agentUid: process.getuid?.() ?? 0,
    agentGid: process.getgid?.() ?? 0,
    home: homedir(),
    workDir: record.workspaces[0]?.path ?? homedir(),
    carrierDir,
    controlSocket: null,
    prepare: null,
  };
}

function noClone(): SandboxError {
  return new SandboxError(
    "unsupported",
    "host mode has no clone workspaces: a clone at the same path would be yours",
    {
      remedy: "use the docker backend, or leave out --clone",
    },
  );
}

function noTerminal(): SandboxError {
  return new SandboxError("unsupported", "host mode has no terminal of its own", {
    remedy: "run the command in this terminal: it would be the same",
  });
}
