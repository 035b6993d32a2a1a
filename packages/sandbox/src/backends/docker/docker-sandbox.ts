import type { SandboxRecord } from "@opentiger/schema";
import type { Sandbox } from "../../sandbox.ts";
import type { Session } from "../../session/session.ts";
import { type SandboxFacts, sandboxOverSession } from "../../session/session-sandbox.ts";
import type { Engine } from "./engine/engine.ts";
import { weaknessOf } from "./plan/weakness.ts";
import { openTerminal } from "./terminal.ts";

/** A sandbox with a supervisor: everything but terminals goes through the session, without the engine. */
export function dockerSandbox(record: SandboxRecord, engine: Engine, session: Session): Sandbox {
  return sandboxOverSession(sandboxFacts(record), session, (command, options) =>
    openTerminal({ session, engine, record }, command, options),
  );
}

export function sandboxFacts(record: SandboxRecord): SandboxFacts {
  return {
    name: record.name,
    id: record.id,
    agent: record.agent,
    backend: "docker",
    workspaceKind: record.workspaceKind,
    workspaces: record.workspaces,
    weakness: weaknessOf(record),
  };
}
