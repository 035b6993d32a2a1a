import type Docker from "dockerode";
import { SandboxError } from "../../../errors.ts";
import { supervisorConfigVariable } from "../../../protocol/paths.ts";
import { labelNames, labels } from "../labels.ts";
import { parse } from "../plan/environment.ts";
import { type Image, inspectImage } from "./image.ts";

/**
 * Makes an image of a container's files and returns its id. What the engine would copy of ours (labels, environment,
 * command, user) is put back to what the image had that it was made from; `saved` are labels of its own.
 */
export async function commitFiles(
  docker: Docker,
  { Id, Config, Image: base }: Docker.ContainerInspectInfo,
  as: { comment: string; repo?: string; tag?: string },
  saved: Readonly<Record<string, string>> = {},
): Promise<string> {
  const image = await inspectImage(docker, base);
  if (!image) throw new SandboxError("image_missing", "the image that the sandbox was made from is gone");
  const answer: { Id: string } = await docker.getContainer(Id).commit({
    _query: { container: Id, pause: true, ...as },
    _body: cleanConfiguration(Config, image, saved),
  });
  return answer.Id;
}

/** Fields that are absent or empty here the engine fills from the container, so everything of ours is named. */
function cleanConfiguration(
  config: { Env?: string[] | null; Labels?: Record<string, string> | null },
  image: Image,
  saved: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const original = new Map(image.env.map(parse));
  const env = (config.Env ?? []).map(parse).map(([key]) => `${key}=${original.get(key) ?? ""}`);
  const ours = Object.keys(config.Labels ?? {}).filter((label) => !(label in image.labels));
  const blank = Object.fromEntries([...labelNames, ...ours].map((label) => [label, ""]));
  return {
    Env: env
      .filter((variable) => variable !== `${supervisorConfigVariable}=`)
      .concat(`${supervisorConfigVariable}=`),
    // What an image says of how it was saved is not true of one that is made from it.
    Labels: { ...blank, ...image.labels, [labels.saved]: "", [labels.clone]: "", ...saved },
    User: image.user || "0",
    WorkingDir: image.workingDir || "/",
    Cmd: image.cmd ?? ["/bin/sh"],
    ...(image.entrypoint ? { Entrypoint: image.entrypoint } : {}),
  };
}
