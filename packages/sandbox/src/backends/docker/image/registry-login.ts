import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

export interface RegistryLogin {
  username: string;
  password: string;
  serveraddress: string;
}

const dockerConfig = z.object({
  auths: z.record(z.string(), z.object({ auth: z.string().optional() })).optional(),
  credsStore: z.string().optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
});

const helperAnswer = z.object({ Username: z.string(), Secret: z.string() });

/**
 * What `docker login` has kept for the registry of an image; undefined when it kept nothing, which is no error.
 * `index` is the registry of names without one, as the engine calls it.
 */
export async function registryLogin(reference: string, index: string): Promise<RegistryLogin | undefined> {
  const registry = registryOf(reference, index);
  const config = readConfig();
  const helper = config.credHelpers?.[registry] ?? config.credsStore;
  if (helper) return askHelper(helper, registry);
  const auth = config.auths?.[registry]?.auth;
  if (!auth) return undefined;
  const [username = "", ...rest] = Buffer.from(auth, "base64").toString("utf8").split(":");
  return { username, password: rest.join(":"), serveraddress: registry };
}

export function registryOf(reference: string, index: string): string {
  const [first = "", ...rest] = reference.split("/");
  const isHost = rest.length > 0 && (first.includes(".") || first.includes(":") || first === "localhost");
  return isHost ? first : index;
}

function readConfig(): z.infer<typeof dockerConfig> {
  try {
    const folder = process.env["DOCKER_CONFIG"] || join(homedir(), ".docker");
    return dockerConfig.parse(JSON.parse(readFileSync(join(folder, "config.json"), "utf8")));
  } catch {
    return {};
  }
}

/** Helpers read the registry from stdin and answer in JSON; "not found" is a failure to them and none to us. */
function askHelper(helper: string, registry: string): Promise<RegistryLogin | undefined> {
  return new Promise((resolve) => {
    const child = execFile(`docker-credential-${helper}`, ["get"], { timeout: 10_000 }, (error, stdout) => {
      if (error) return resolve(undefined);
      try {
        const { Username, Secret } = helperAnswer.parse(JSON.parse(stdout));
        resolve({ username: Username, password: Secret, serveraddress: registry });
      } catch {
        resolve(undefined);
      }
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(registry);
  });
}
