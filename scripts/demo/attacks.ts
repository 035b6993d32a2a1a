export interface Attack {
  name: string;
  /** Each for bash, as the agent. The attack is stopped when every one of them is. */
  steps: readonly AttackStep[];
}

export interface AttackStep {
  script: string;
  stopped: (output: string, code: number | null) => boolean;
}

/** The supervisor, which is the oldest process whose command line says so, and the first of all processes. */
const watchers = ["$(pgrep -o -f supervisor)", "1"];

/** A few of tests/security, chosen because they are quick to see. */
export const attacks: readonly Attack[] = [
  {
    name: "killing the supervisor, and asking Node in it for its debugger",
    steps: watchers.flatMap((pid) =>
      ["USR1", "STOP", "KILL"].map((signal) => refused(`kill -${signal} ${pid}`, "not permitted")),
    ),
  },
  {
    name: "reading the supervisor's memory and environment",
    steps: watchers.flatMap((pid) =>
      [`cat /proc/${pid}/environ`, `cat /proc/${pid}/mem`, `ls /proc/${pid}/fd`].map((look) =>
        refused(look, "Permission denied"),
      ),
    ),
  },
  {
    name: "talking to the supervisor's sockets",
    steps: ["/run/opentiger", "/run/opentiger/carrier"].map((folder) =>
      refused(`ls ${folder}`, "Permission denied"),
    ),
  },
  {
    name: "the engine's socket, the home folders and other projects of this machine",
    steps: [
      refused("ls /var/run/docker.sock", "No such file"),
      refused("ls /run/docker.sock", "No such file"),
      finds("find / -maxdepth 3 \\( -name .ssh -o -name docker.sock \\) 2>/dev/null; true", ""),
    ],
  },
  {
    name: "going around the proxy: there is no interface but loopback",
    steps: [
      finds("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '", "lo"),
      // An address for documentation, which is nobody's.
      refused("exec 3<>/dev/tcp/192.0.2.1/80", "unreachable"),
    ],
  },
  {
    name: "becoming root",
    steps: [
      refused("setpriv --reuid 0 true", "not permitted"),
      refused("su -c true < /dev/null", "Authentication failure"),
      refused("unshare -r true", "not permitted"),
      refused("mount -t tmpfs none /mnt", "superuser"),
    ],
  },
  {
    name: "overwriting the supervisor's own file and tools",
    steps: ["/opt/opentiger/supervisor.cjs", "$(command -v setpriv)", "$(command -v node)"].map((file) =>
      refused(`echo x >> ${file}`, "Permission denied"),
    ),
  },
];

/** The command fails, and says why: one that was not even there would be stopped by nobody. */
function refused(script: string, why: string): AttackStep {
  return { script, stopped: (output, code) => code !== 0 && output.includes(why) };
}

/** The command runs, and this is all that there is to find. */
function finds(script: string, all: string): AttackStep {
  return { script, stopped: (output, code) => code === 0 && output === all };
}
