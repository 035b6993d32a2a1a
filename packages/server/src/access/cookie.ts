import type { IncomingMessage } from "node:http";

/** Browsers keep the cookies of all ports together: each server has a name of its own. */
function cookieName(port: number | undefined): string {
  return `opentiger_session_${port ?? 0}`;
}

export function sessionCookie({ headers, socket }: IncomingMessage): string | undefined {
  const name = cookieName(socket.localPort);
  for (const part of (headers.cookie ?? "").split(";")) {
    const [key = "", value] = part.trim().split("=");
    if (key === name) return value;
  }
  return undefined;
}

/** For scripts of the page invisible, and sent by no other site. `lastsMs` 0 removes it. */
export function setCookie(request: IncomingMessage, token: string, lastsMs: number): string {
  const secure = request.headers["x-forwarded-proto"] === "https" ? "; Secure" : "";
  const name = cookieName(request.socket.localPort);
  const seconds = Math.floor(lastsMs / 1000);
  return `${name}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
