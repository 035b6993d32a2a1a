/** Where things of ours lie inside a sandbox. Commands of the agent can enter none of these. */
export const insidePaths = {
  /** tmpfs, 0700, of the supervisor's uid: everything below is out of the agent's reach. */
  run: "/run/opentiger",
  /** Sockets to dial appear here: the sandbox's own folder of the host. */
  carrier: "/run/opentiger/carrier",
  /** For the exec-stdio carrier: the supervisor listens here and a bridge connects. */
  control: "/run/opentiger/control.sock",
  /** The supervisor's one file, on a read-only mount. */
  supervisor: "/opt/opentiger/supervisor.cjs",
} as const;

/** The suffix of a socket in the carrier folder says what is spoken on it. */
export const dialSuffix = {
  /** HTTP/2, the supervisor being the server. */
  session: ".session",
  /** The frames of one exec, without HTTP/2: what a short-lived command uses. */
  exec: ".exec",
} as const;

/** Environment of the supervisor: its configuration as JSON. Never handed to commands. */
export const supervisorConfigVariable = "OPENTIGER_SUPERVISOR";
