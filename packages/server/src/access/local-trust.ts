import { ServerError } from "../errors.ts";

const variable = "OPENTIGER_ALLOW_INSECURE_SYSTEM_CONTROL";

/** Contract A15: unless it is forbidden, the owner's processes on this machine need no key. Refuses what it cannot read. */
export function trustsLocalCalls(env: NodeJS.ProcessEnv): boolean {
  const written = env[variable] ?? "";
  const word = written.toLowerCase();
  if (word === "" || word === "true") return true;
  if (word === "false") return false;
  throw new ServerError("config_invalid", `${variable}=${written} is neither true nor false`, {
    remedy: `set it to false, so that every call needs a key, or to true, which is the default`,
  });
}
