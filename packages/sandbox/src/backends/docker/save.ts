import { SandboxError } from "../../errors.ts";
import { imageReference } from "../../image/name.ts";
import { supervisorConfigVariable } from "../../protocol/paths.ts";
import { statusOf } from "./engine/errors.ts";
import { type Image, inspectImage } from "./image/image.ts";
import { elsewhere } from "./inspect.ts";
import { labelNames } from "./labels.ts";
import { findSandbox, notFound } from "./open.ts";
import type { Place } from "./place.ts";
import { parse } from "./plan/environment.ts";

/**
 * Keeps a sandbox's files as an image. What the engine would copy of ours (labels, environment, command, user) is
 * put back to what the image had, so that a container made of it by hand is not taken for a sandbox. What lies in
 * mounts, sockets and spools is no part of it.
 */
export async function saveSandbox(place: Place, name: string, tag: string): Promise<{ imageId: string }> {
  const reference = imageReference(tag, place.warn);
  if (reference.includes("@")) {
    throw new SandboxError(
      "image_name_invalid",
      `${JSON.stringify(tag)} has a digest, which an image gets by itself`,
      {
        remedy: "give a name and a tag, as in my-template:v1",
      },
    );
  }
  const record = findSandbox(place, name);
  if (record.engine !== place.facts.id) throw elsewhere(place, record);
  const container = place.docker.getContainer(record.containerId);
  const { Config, Image: base } = await container.inspect().catch((error: unknown) => {
    throw statusOf(error) === 404 ? notFound(name) : error;
  });
  const image = await inspectImage(place.docker, base);
  if (!image) throw new SandboxError("image_missing", `the image that ${name} was made from is gone`);
  const [repo, tagName] = split(reference);
  const answer: { Id: string } = await container.commit({
    _query: {
      container: container.id,
      repo,
      tag: tagName,
      comment: `openTiger sandbox ${name}`,
      pause: true,
    },
    _body: cleanConfiguration(Config, image),
  });
  return { imageId: answer.Id };
}

/** Fields that are absent or empty here the engine fills from the container, so everything of ours is named. */
function cleanConfiguration(
  config: { Env?: string[] | null; Labels?: Record<string, string> | null },
  image: Image,
): Record<string, unknown> {
  const original = new Map(image.env.map(parse));
  const env = (config.Env ?? []).map(parse).map(([key]) => `${key}=${original.get(key) ?? ""}`);
  const ours = Object.keys(config.Labels ?? {}).filter((label) => !(label in image.labels));
  const blank = Object.fromEntries([...labelNames, ...ours].map((label) => [label, ""]));
  return {
    Env: env
      .filter((variable) => variable !== `${supervisorConfigVariable}=`)
      .concat(`${supervisorConfigVariable}=`),
    Labels: { ...blank, ...image.labels },
    User: image.user || "0",
    WorkingDir: image.workingDir || "/",
    Cmd: image.cmd ?? ["/bin/sh"],
    ...(image.entrypoint ? { Entrypoint: image.entrypoint } : {}),
  };
}

function split(reference: string): [string, string] {
  const [, repo = reference, tag = "latest"] = /^(.*):([^:/]+)$/.exec(reference) ?? [];
  return [repo, tag];
}
