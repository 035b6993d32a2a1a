import { isIPv4, type Socket } from "node:net";
import { doorAddress, doorPorts } from "../../protocol/doors.ts";
import { connected } from "./connected.ts";

const version = 5;
const withoutPassword = 0;
const connectCommand = 1;
const addressKind = { ipv4: 1, name: 3, ipv6: 4 } as const;
const refusals = [
  "",
  "the way out failed",
  "the network policy does not allow it",
  "the network cannot be reached",
  "the host cannot be reached",
  "the connection was refused",
  "it took too long",
];

/**
 * What ssh runs instead of connecting by itself: joins its stdio to HOST and PORT through the SOCKS door. It is the
 * agent's own process, with no more rights than any other command. Where there is no such door it connects directly,
 * as an open sandbox can.
 */
export async function proxyCommand(host: string, port: number): Promise<void> {
  try {
    const socket = await throughDoor(host, port);
    process.stdin.pipe(socket);
    socket.pipe(process.stdout);
    socket.on("error", (error) => fail(host, port, error));
    // Node does not close its stdout by itself; what is behind this is written when it is called.
    socket.once("end", () => process.stdout.write("", () => process.exit()));
  } catch (error) {
    fail(host, port, error);
  }
}

async function throughDoor(host: string, port: number): Promise<Socket> {
  const socket = await connected({ host: doorAddress, port: doorPorts.socks }).catch(() => undefined);
  if (!socket) return connected({ host, port });
  socket.write(Buffer.from([version, 1, withoutPassword]));
  const [, method] = await take(socket, 2);
  if (method !== withoutPassword) throw new Error("the door asks for a password");
  const size = Buffer.alloc(2);
  size.writeUInt16BE(port);
  socket.write(Buffer.concat([Buffer.from([version, connectCommand, 0]), destination(host), size]));
  const [, refusal = 1, , kind, length] = await take(socket, 5);
  if (refusal !== 0) throw new Error(refusals[refusal] ?? `refused with ${refusal}`);
  // The rest of an address that nobody needs, and its port.
  await take(socket, { [addressKind.ipv4]: 3, [addressKind.ipv6]: 15 }[kind ?? 0] ?? length ?? 0);
  await take(socket, 2);
  return socket;
}

function destination(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([addressKind.ipv4, ...host.split(".").map(Number)]);
  const name = Buffer.from(host);
  if (name.length > 255) throw new Error("the name is too long");
  return Buffer.concat([Buffer.from([addressKind.name, name.length]), name]);
}

/** Exactly so many bytes; what follows stays in the stream. */
function take(socket: Socket, bytes: number): Promise<Buffer> {
  if (bytes === 0) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    const look = (): void => {
      // Without an encoding it is a buffer, and null until there are as many.
      const taken = socket.read(bytes) as Buffer | null;
      if (!taken) return;
      settle();
      if (taken.length < bytes) reject(new Error("sandboxd is not running"));
      else resolve(taken);
    };
    const ended = (): void => {
      settle();
      reject(new Error("sandboxd is not running"));
    };
    const settle = (): void => {
      socket.off("readable", look);
      socket.off("end", ended);
      socket.off("error", ended);
    };
    socket.on("readable", look);
    socket.on("end", ended);
    socket.on("error", ended);
    look();
  });
}

function fail(host: string, port: number, error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(`opentiger: ${host}:${port} is out of reach: ${why}\n`);
  process.exit(1);
}
