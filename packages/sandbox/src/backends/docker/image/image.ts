import type Docker from "dockerode";
import { SandboxError } from "../../../errors.ts";
import type { CreateOptions } from "../../../sandbox.ts";
import { sentenceOf, statusOf } from "../engine/errors.ts";
import { pullImage } from "./pull.ts";

/** An image as the engine has it now. The id names its content, the reference only what it is called today. */
export interface Image {
  reference: string;
  id: string;
  env: readonly string[];
  user: string;
  cmd: readonly string[] | null;
  entrypoint: readonly string[] | null;
  workingDir: string;
  labels: Readonly<Record<string, string>>;
}

type PullOptions = Pick<CreateOptions, "pull" | "onProgress" | "signal">;

/** Images of this name are made here and are on no registry. */
const builtHere = /^opentiger\/[^/]+$/;

export async function findImage(docker: Docker, reference: string, options: PullOptions): Promise<Image> {
  if (options.pull === "always") await pullImage(docker, reference, options);
  const found = await inspectImage(docker, reference);
  if (found) return found;
  if (options.pull === "never" || options.pull === "always" || builtHere.test(repositoryOf(reference))) {
    throw missingImage(reference);
  }
  await pullImage(docker, reference, options);
  const pulled = await inspectImage(docker, reference);
  if (!pulled) throw missingImage(reference);
  return pulled;
}

export async function inspectImage(
  docker: Docker,
  reference: string,
  signal?: AbortSignal,
): Promise<Image | undefined> {
  try {
    // The library takes a signal here as everywhere; its types have forgotten it.
    const image = docker.getImage(reference) as unknown as {
      inspect(options: { abortSignal?: AbortSignal }): Promise<Docker.ImageInspectInfo>;
    };
    const { Id, Config } = await image.inspect(signal ? { abortSignal: signal } : {});
    return {
      reference,
      id: Id,
      env: Config.Env ?? [],
      user: Config.User ?? "",
      cmd: Config.Cmd ?? null,
      // The engine's answer is a list or null; the types allow a string.
      entrypoint: typeof Config.Entrypoint === "string" ? [Config.Entrypoint] : (Config.Entrypoint ?? null),
      workingDir: Config.WorkingDir ?? "",
      labels: Config.Labels ?? {},
    };
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    if (statusOf(error) === 400) throw illegalName(reference, error);
    throw error;
  }
}

function repositoryOf(reference: string): string {
  return reference.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
}

export function missingImage(reference: string): SandboxError {
  const ours = builtHere.test(repositoryOf(reference));
  return new SandboxError("image_missing", `the engine has no image called ${reference}`, {
    remedy: ours ? "opentiger image build" : `docker pull ${reference}, or --pull-template missing`,
  });
}

function illegalName(reference: string, cause: unknown): SandboxError {
  return new SandboxError(
    "image_name_invalid",
    `${JSON.stringify(reference)} is not an image name: ${sentenceOf(cause)}`,
    {
      remedy: "use a name like opentiger/worker:latest",
      cause,
    },
  );
}
