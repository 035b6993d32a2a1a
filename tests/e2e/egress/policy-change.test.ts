import { describe, expect, test } from "vitest";
import type { DockerBackend } from "../../../packages/sandbox/src/backends/docker/docker-backend.ts";
import { openState } from "../../../packages/sandbox/src/state/state.ts";
import { defaultNetworkSettings } from "../../../packages/schema/src/index.ts";
import { atEnd } from "../../setup/at-end.ts";
import { docker, workerImage } from "../../setup/docker.ts";
import { takingInstance } from "../../setup/egress-taker.ts";
import { runIn } from "../../setup/place.ts";
import { containerOf, newSandbox } from "../../setup/sandbox.ts";
import { agentUid, temporaryWorkspace } from "../../setup/temporary-workspace.ts";
import { answer } from "./outside.ts";

describe("a change of policy", () => {
  test("to open and back makes the container anew around the same files, and leaves nothing behind", async () => {
    const instance = await takingInstance(answer);
    const backend = instance.backend as DockerBackend;
    const workspace = temporaryWorkspace();
    let sandbox = await newSandbox(instance, workspace, { env: { FROM_CREATE: "kept" } });
    const record = () => openState(instance.home).records.read(sandbox.id);
    const reopened = async () => {
      sandbox = await backend.open(sandbox.name);
      atEnd(() => sandbox.close());
    };
    await runIn(sandbox, ["sh", "-c", "echo mine > ~/file; echo there > in-workspace"]);
    const allow = record()?.network ?? defaultNetworkSettings;
    expect(await backend.setNetwork(sandbox.name, { ...allow, policy: "deny" })).toEqual({
      recreated: false,
    });
    expect(record()?.network.policy).toBe("deny");

    expect(await backend.setNetwork(sandbox.name, { ...allow, policy: "open" })).toEqual({ recreated: true });
    await reopened();
    const look = "cat ~/file in-workspace; echo $FROM_CREATE; ls /sys/class/net; id -u; env | grep -c _PROXY";
    expect((await runIn(sandbox, ["sh", "-c", look])).stdout).toMatch(
      new RegExp(`^mine\nthere\nkept\n(?:eth0\nlo|lo\neth0)\n${agentUid}\n0\n$`),
    );
    expect((await runIn(sandbox, ["curl", "-sS", "http://127.0.0.1:3129/g"])).stdout).toBe(
      "127.0.0.1:3129 /g",
    );

    await backend.stop(sandbox.name);
    expect(await backend.setNetwork(sandbox.name, allow)).toEqual({ recreated: true });
    expect((await backend.list()).find(({ id }) => id === sandbox.id)).toMatchObject({
      status: "stopped",
      network: "allow",
    });
    await reopened();
    expect((await runIn(sandbox, ["sh", "-c", "cat ~/file; ls /sys/class/net"])).stdout).toBe("mine\nlo\n");
    expect((await runIn(sandbox, ["curl", "-sS", "http://a.test/"])).stdout).toBe("a.test http://a.test/");

    const image = record()?.ownImage ?? "";
    expect(await docker("images", "--all", "--quiet", "--no-trunc")).toContain(image);
    await backend.remove(sandbox.name);
    expect(await docker("images", "--all", "--quiet", "--no-trunc")).not.toContain(image);
    expect(await docker("ps", "--all", "--quiet", "--filter", `label=opentiger.sandbox=${sandbox.id}`)).toBe(
      "",
    );
  });

  test("that was interrupted leaves the old container, and what it made goes with the sandbox", async () => {
    const instance = await takingInstance(answer);
    const backend = instance.backend as DockerBackend;
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    const { records } = openState(instance.home);
    const container = containerOf(instance, sandbox);
    const name = (await docker("inspect", "--format", "{{.Name}}", container)).slice(1);
    // As it is when the process is killed right after it made the new one.
    await docker("rename", container, `${name}-replaced`);
    const labels = ["opentiger.sandbox", "opentiger.instance"].map(async (label) => [
      "--label",
      `${label}=${await docker("inspect", "--format", `{{index .Config.Labels "${label}"}}`, container)}`,
    ]);
    const orphan = await docker("create", "--name", name, ...(await Promise.all(labels)).flat(), workerImage);
    records.update(sandbox.id, (record) => ({ ...record, ownImage: "sha256:gone" }));
    expect((await runIn(sandbox, ["echo", "still here"])).stdout).toBe("still here\n");
    await backend.prune();
    expect(await docker("ps", "--all", "--quiet", "--no-trunc")).not.toContain(orphan);
    expect((await runIn(sandbox, ["echo", "still here"])).stdout).toBe("still here\n");
    await backend.remove(sandbox.name);
  });
});
