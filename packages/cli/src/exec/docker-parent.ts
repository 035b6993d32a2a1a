import { readFileSync } from "node:fs";
import { connect } from "node:net";

export interface DockerListener {
  /** Docker wants us to end. */
  signalled(signal: "SIGTERM"): void;
  /** The `docker` that started us was killed: nobody reads what we write, and the command goes on without us. */
  abandoned(): void;
}

/** How often to look whether docker still wants us. A person does not notice the delay; it costs next to nothing. */
const lookEveryMs = 200;

/** The kernel closes a dead process's sockets a moment before it hands its children over. */
const reparentedMs = 20;

/**
 * Docker does not pass signals on to its plugins. It listens on a socket of which it tells them, and closes it when
 * they shall end. Returns how to stop listening.
 */
export function onDockerClosing(address: string | undefined, listener: DockerListener): () => void {
  if (!address) return () => {};
  const parent = process.ppid;
  const closed = () => (process.ppid === parent ? listener.signalled("SIGTERM") : listener.abandoned());
  return address.startsWith("@") ? watchAbstract(address, parent, closed) : watchPath(address, closed);
}

/** Node 20 cannot connect to an abstract socket of another program: it pads the name. The kernel's list shows it. */
function watchAbstract(name: string, parent: number, closed: () => void): () => void {
  const timer = setInterval(() => {
    if (process.ppid === parent && isListed(name)) return;
    clearInterval(timer);
    closed();
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

function isListed(name: string): boolean {
  try {
    return readFileSync("/proc/net/unix", "utf8").includes(` ${name}\n`);
  } catch {
    // Without the list only signals arrive, as with an older docker.
    return true;
  }
}

/** Elsewhere than on Linux the socket is a file. */
function watchPath(path: string, closed: () => void): () => void {
  let connected = false;
  const socket = connect(path, () => {
    connected = true;
  });
  socket.unref();
  socket.on("error", () => {});
  socket.on("close", () => {
    if (connected) setTimeout(closed, reparentedMs);
  });
  socket.resume();
  return () => {
    connected = false;
    socket.destroy();
  };
}
