import { chmodSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { insidePaths } from "../protocol/paths.ts";
import { readConfig, type SupervisorConfig } from "./config.ts";
import { Control } from "./control.ts";
import { dialCarriers } from "./dial.ts";
import { ExecTable } from "./exec-table.ts";
import { whenForgotten } from "./forgotten.ts";
import { Launcher } from "./launch.ts";
import { hostSandboxVariable, killMarked, processIds } from "./processes.ts";

/** What init passes on and would end or stop us. Node has no names for the real-time signals beyond these. */
const ignoredSignals = [
  ...(["SIGUSR1", "SIGUSR2", "SIGHUP", "SIGINT", "SIGQUIT", "SIGPIPE", "SIGALRM", "SIGSTKFLT"] as const),
  ...(["SIGTSTP", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGIO", "SIGPWR"] as const),
];

/**
 * Our process inside a sandbox. `serve` runs for as long as the sandbox does; the bridges join their stdio to the
 * serving one, for engines with which no socket can be shared. `connect` is a command of the agent's: it is what ssh
 * uses to get out.
 */
switch (process.argv[2]) {
  case "bridge":
    bridge(insidePaths.control);
    break;
  case "egress-bridge":
    bridge(insidePaths.egress);
    break;
  case "connect":
    void import("./egress/proxy-command.ts").then(({ proxyCommand }) =>
      proxyCommand(process.argv[3] ?? "", Number(process.argv[4])),
    );
    break;
  default:
    serve(readConfig(process.env));
}

function serve(config: SupervisorConfig): void {
  guardSignals(config);
  const control = new Control(config, new ExecTable(new Launcher(config)));
  if (config.controlSocket) listen(config.controlSocket, control);
  if (config.carrierDir) {
    dialCarriers(config.carrierDir, {
      session: (stream) => void control.serveSession(stream),
      exec: (stream) => control.serveExec(stream),
    });
  }
  const hostSandbox = process.env[hostSandboxVariable];
  if (config.isolation === "none" && hostSandbox)
    whenForgotten(process.argv[1] ?? "", () => void endHostSandbox(hostSandbox));
  // Nothing an exec or a session does may take the guard down.
  process.on("uncaughtException", (error) =>
    process.stderr.write(`supervisor: ${error.stack ?? error.message}\n`),
  );
  process.on("unhandledRejection", (error) => process.stderr.write(`supervisor: ${String(error)}\n`));
}

/**
 * Node opens its inspector on SIGUSR1 unless it is handled. Where the agent is root it can have init pass signals on
 * to us, so there none that has a name ends the supervisor; the engine stops it by SIGKILL.
 */
function guardSignals(config: SupervisorConfig): void {
  for (const signal of ignoredSignals) process.on(signal, () => {});
  process.on("SIGTERM", () => {
    if (config.isolation !== "agent-root") stop(config);
  });
}

function stop(config: SupervisorConfig): void {
  if (config.isolation === "separate-uid") {
    for (const pid of processIds()) if (pid > 1 && pid !== process.pid) end(pid);
  }
  process.exit(0);
}

/** An engine ends what is in a container that is removed; on the host nobody is left who would. */
async function endHostSandbox(id: string): Promise<void> {
  process.stderr.write("supervisor: its state folder is gone, and nobody can reach it any more: it ends\n");
  await killMarked({ kind: "environment", variable: hostSandboxVariable, value: id });
  process.exit(0);
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // Gone already.
  }
}

function listen(path: string, control: Control): void {
  rmSync(path, { force: true });
  const server = createServer((socket) => void control.serveSession(socket));
  server.on("error", (error) => process.stderr.write(`supervisor: ${error.message}\n`));
  server.listen(path, () => chmodSync(path, 0o600));
}

function bridge(path: string): void {
  const socket = connect(path);
  process.stdin.pipe(socket).pipe(process.stdout);
  socket.on("error", (error) => {
    process.stderr.write(`bridge: ${error.message}\n`);
    process.exit(1);
  });
  socket.on("close", () => process.exit(0));
}
