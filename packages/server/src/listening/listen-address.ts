import { ServerError } from "../errors.ts";

export interface ListenAddress {
  host: string;
  port: number;
}

const usualHost = "127.0.0.1";
const usualPort = 4301;

export const highestPort = 65_535;

/** Where the server listens. A variable that is empty says nothing: it must not mean every interface of the machine. */
export function listenAddress(env: NodeJS.ProcessEnv): ListenAddress {
  return { host: env["OPENTIGER_API_HOST"]?.trim() || usualHost, port: portOf(env) };
}

function portOf(env: NodeJS.ProcessEnv): number {
  const written = env["OPENTIGER_API_PORT"];
  if (!written) return usualPort;
  const port = Number(written);
  if (/^\d{1,5}$/.test(written) && port <= highestPort) return port;
  throw new ServerError("config_invalid", `OPENTIGER_API_PORT=${written} is not a port`, {
    remedy: `set it to a number from 1 to ${highestPort}`,
  });
}
