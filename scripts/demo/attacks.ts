export interface Attack {
  name: string;
  /** For bash, as the agent. */
  script: string;
  stopped: (output: string, code: number | null) => boolean;
}

/** A few of tests/security, chosen because they are quick to see. */
export const attacks: readonly Attack[] = [
  {
    name: "killing the supervisor, and asking Node in it for its debugger",
    script:
      "for p in $(pgrep -f supervisor) 1; do kill -USR1 $p; kill -STOP $p; kill -9 $p; done 2>&1; ls /proc/1/ns >/dev/null",
    stopped: (output) => output.includes("Operation not permitted") || output.includes("not permitted"),
  },
  {
    name: "reading the supervisor's memory and environment",
    script: "for p in $(pgrep -f supervisor) 1; do cat /proc/$p/environ /proc/$p/mem; ls /proc/$p/fd; done",
    stopped: (output) => output.includes("Permission denied") && !output.includes("OPENTIGER"),
  },
  {
    name: "talking to the supervisor's sockets",
    script: "ls -la /run/opentiger /run/opentiger/carrier",
    stopped: (output, code) => code !== 0 && output.includes("Permission denied"),
  },
  {
    name: "the engine's socket, the home folders and other projects of this machine",
    script:
      "ls /var/run/docker.sock /run/docker.sock 2>/dev/null; find / -maxdepth 3 -name '.ssh' -o -maxdepth 3 -name 'docker.sock' 2>/dev/null",
    stopped: (output) => output === "",
  },
  {
    name: "going around the proxy: there is no interface but loopback",
    // An address for documentation, which is nobody's.
    script: "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; (exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null",
    stopped: (output, code) => code !== 0 && output === "lo",
  },
  {
    name: "becoming root",
    script: "setpriv --reuid 0 true; su -c true; unshare -r true; mount -t tmpfs none /mnt",
    stopped: (_output, code) => code !== 0,
  },
  {
    name: "overwriting the supervisor's own file and tools",
    script:
      "echo x > /opt/opentiger/supervisor.cjs; echo x > $(command -v setpriv); echo x > $(command -v node)",
    stopped: (output, code) => code !== 0 && !/^$/.test(output),
  },
];
