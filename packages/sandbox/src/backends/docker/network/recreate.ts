import type { NetworkSettings, SandboxRecord } from "@opentiger/schema";
import type Docker from "dockerode";
import { supervisorConfigVariable } from "../../../protocol/paths.ts";
import type { SupervisorConfig } from "../../../supervisor/config.ts";
import { doorsUnder } from "../container/configuration.ts";
import { nameSettings } from "../container/host-configuration.ts";
import { containerName } from "../container/name.ts";
import { removeById, removeLeftovers, replacedName } from "../discard.ts";
import { commitFiles } from "../image/commit.ts";
import { openSandbox } from "../open.ts";
import type { Place } from "../place.ts";
import { parse } from "../plan/environment.ts";
import { decideNetwork } from "../plan/network.ts";
import { stopSandbox } from "../stop.ts";

/**
 * Puts a sandbox's files into a container that differs from its present one in the network only. Until the record
 * names the new one, the old one is the sandbox; what an interruption leaves of either is removed with it.
 */
export async function recreateSandbox(
  place: Place,
  record: SandboxRecord & { containerId: string },
  network: NetworkSettings,
): Promise<void> {
  const mode = decideNetwork(network.policy, place.env, place.warn);
  const old = place.docker.getContainer(record.containerId);
  const found = await old.inspect();
  await stopSandbox(place, record.name);
  const image = await commitFiles(place.docker, found, { comment: `openTiger sandbox ${record.name}` });
  place.state.records.update(record.id, (latest) => ({ ...latest, ownImage: image }));
  await removeLeftovers(place, record);
  await old.rename({ name: replacedName(record) });
  const fresh = await createOrGoBack(place, record, old, {
    ...settingsOf(found, network),
    name: containerName(record),
    Image: image,
    HostConfig: { ...found.HostConfig, NetworkMode: mode, ...nameSettings(network.policy) },
  });
  place.state.records.update(record.id, (latest) => ({ ...latest, containerId: fresh.id, network }));
  await removeById(place.docker, old.id);
  if (found.State.Running) await (await openSandbox(place, record.name)).close();
}

async function createOrGoBack(
  place: Place,
  record: SandboxRecord,
  old: Docker.Container,
  settings: Docker.ContainerCreateOptions,
): Promise<Docker.Container> {
  try {
    return await place.docker.createContainer(settings);
  } catch (error) {
    await old.rename({ name: containerName(record) });
    throw error;
  }
}

/** What the engine does not keep with the host's side of a container. */
function settingsOf(
  { Config }: Docker.ContainerInspectInfo,
  network: NetworkSettings,
): Docker.ContainerCreateOptions {
  const { Hostname, User, WorkingDir, Entrypoint, Cmd, Labels } = Config;
  const Env = Config.Env.map((variable) => withDoors(variable, network));
  return { Hostname, User, WorkingDir, Cmd, Labels, Env, StopTimeout: 1, Entrypoint: Entrypoint ?? [""] };
}

function withDoors(variable: string, { policy }: NetworkSettings): string {
  const [name, value] = parse(variable);
  if (name !== supervisorConfigVariable || value === "") return variable;
  // Written by us when the sandbox was made; an agent cannot change it.
  const config = JSON.parse(value) as SupervisorConfig;
  return `${name}=${JSON.stringify({ ...config, doors: doorsUnder(policy) })}`;
}
