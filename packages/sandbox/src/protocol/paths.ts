/** Where things of ours lie inside a sandbox. Commands of the agent can change none of these. */
export const insidePaths = {
  /** tmpfs, 0700, of the supervisor's uid: everything below is out of the agent's reach. */
  run: "/run/opentiger",
  /** Sockets to dial appear here: the sandbox's own folder of the host. */
  carrier: "/run/opentiger/carrier",
  /** For the exec-stdio carrier: the supervisor listens here and a bridge connects. */
  control: "/run/opentiger/control.sock",
  /** The same for egress: whoever comes last is asked for the way out. */
  egress: "/run/opentiger/egress.sock",
  /** The supervisor's one file, on a read-only mount. */
  supervisor: "/opt/opentiger/supervisor.cjs",
  /** What forks commands for the supervisor, where the image has it. */
  spawner: "/usr/local/libexec/opentiger/spawner",
  /** The same for an agent that is root: a copy on a read-only mount. */
  mountedSpawner: "/opt/opentiger/tools/bin/spawner",
} as const;

/** The suffix of a socket in the carrier folder says what is spoken on it. */
export const dialSuffix = {
  /** HTTP/2, the supervisor being the server. */
  session: ".session",
  /** The frames of one exec, without HTTP/2: what a short-lived command uses. */
  exec: ".exec",
} as const;

/** In the carrier folder: sandboxd listens here, and the supervisor connects once for every connection inside. */
export const egressSocket = "egress.sock";

/** Environment of the supervisor: its configuration as JSON. Never handed to commands. */
export const supervisorConfigVariable = "OPENTIGER_SUPERVISOR";
