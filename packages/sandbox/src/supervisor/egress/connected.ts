import { connect, type NetConnectOpts, type Socket } from "node:net";

/** Resolves with a socket that is connected; each direction ends by itself. From then on its errors are its user's. */
export function connected(to: NetConnectOpts): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...to, allowHalfOpen: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}
