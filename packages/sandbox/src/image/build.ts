import type Docker from "dockerode";
import { SandboxError } from "../errors.ts";
import { buildCertificates } from "./certificates.ts";
import { buildContext } from "./context.ts";
import { ensureDebianBase } from "./debian-base.ts";
import { BuildLog, engineFailure } from "./failure.ts";
import { findImage, imageLabels, type LabelledImage } from "./labels.ts";
import { defaultWorkerImage, imageReference } from "./name.ts";
import { type BuildEvent, engineMessages } from "./progress.ts";
import { dockerfilePath, type RecipeFile, recipeFiles, recipeHash } from "./recipe.ts";
import { type BundledAgent, bundledAgents } from "./templates.ts";

export interface BuildOptions {
  readonly docker: Docker;
  /** Whose CLIs are put in. All of them by default; the tag is the same either way. */
  readonly agents?: readonly BundledAgent[];
  /** registry: the Dockerfile's own base. debian: the same made by debootstrap, which needs root. */
  readonly base?: "registry" | "debian";
  readonly tag?: string;
  /** Leave this machine's extra certificates in the image, for sandboxes on a network that inspects TLS. */
  readonly keepCertificates?: boolean;
  /** Build even if nothing of ours changed, without the engine's cache: newer packages, security updates. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: BuildEvent) => void;
  readonly env?: NodeJS.ProcessEnv;
}

export interface BuiltImage {
  readonly tag: string;
  readonly id: string;
  readonly bytes: number;
  /** false: an image of the same recipe was there already. */
  readonly built: boolean;
}

/** The worker image, up to date. Fails with a `SandboxError`; an earlier image under the tag is kept then. */
export async function buildWorkerImage(options: BuildOptions): Promise<BuiltImage> {
  const { docker, signal, onProgress = () => {} } = options;
  const tag = imageReference(options.tag ?? defaultWorkerImage, (text) => onProgress({ kind: "note", text }));
  try {
    const plan = await planBuild(options, onProgress);
    const present = await findImage(docker, tag);
    if (present && !options.fresh && present.labels[imageLabels.recipe] === plan.recipe) {
      onProgress({ kind: "note", text: `${tag} is up to date.` });
      return { tag, id: present.id, bytes: present.bytes, built: false };
    }
    signal?.throwIfAborted();
    const image = await runBuild(tag, plan, options, onProgress);
    return { tag, id: image.id, bytes: image.bytes, built: true };
  } catch (error) {
    throw engineFailure(tag, error, signal);
  }
}

interface Plan {
  readonly files: readonly RecipeFile[];
  readonly buildargs: Record<string, string>;
  readonly recipe: string;
  readonly agents: readonly BundledAgent[];
}

/** Certificates are part of the recipe only if they stay: else they change how it is made, not what it is. */
async function planBuild(options: BuildOptions, onProgress: (event: BuildEvent) => void): Promise<Plan> {
  const { docker, signal, fresh = false, keepCertificates = false, env = process.env } = options;
  const agents = bundledAgents.filter((agent) => (options.agents ?? bundledAgents).includes(agent));
  const ours = await recipeFiles();
  const certificates = await buildCertificates(env);
  const base =
    options.base === "debian" ? await ensureDebianBase({ docker, signal, onProgress, fresh }) : undefined;
  const choices = { agents, base: base?.recipe ?? "registry", keepCertificates };
  return {
    files: [...ours, ...certificates],
    recipe: recipeHash(keepCertificates ? [...ours, ...certificates] : ours, choices),
    agents,
    buildargs: {
      AGENTS: agents.join(" "),
      ...(base ? { BASE: base.image } : {}),
      ...(keepCertificates ? { KEEP_CA: "yes" } : {}),
    },
  };
}

async function runBuild(
  tag: string,
  plan: Plan,
  { docker, signal, fresh = false, base }: BuildOptions,
  onProgress: (event: BuildEvent) => void,
): Promise<LabelledImage> {
  const log = new BuildLog();
  const stream = await docker.buildImage(buildContext(plan.files), {
    t: tag,
    dockerfile: dockerfilePath,
    buildargs: plan.buildargs,
    labels: { [imageLabels.recipe]: plan.recipe, [imageLabels.agents]: plan.agents.join(",") },
    rm: true,
    forcerm: true,
    nocache: fresh,
    // The base from Debian packages is in no registry.
    pull: fresh && base !== "debian",
    ...(signal ? { abortSignal: signal } : {}),
  });
  for await (const message of engineMessages(stream)) {
    if (message.kind === "failed") throw log.failure(tag, message.text);
    log.add(message);
    onProgress(message);
  }
  const image = await findImage(docker, tag);
  if (image?.labels[imageLabels.recipe] === plan.recipe) return image;
  throw new SandboxError("image_build_failed", `The engine ended the build of ${tag} without an image.`, {
    remedy: "Look into the engine's log (journalctl -u docker), then build again.",
  });
}
