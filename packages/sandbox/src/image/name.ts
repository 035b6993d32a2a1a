import { SandboxError } from "../errors.ts";

export const defaultWorkerImage = "opentiger/worker:latest";

/** The image sandboxes are made from: `SANDBOX_DOCKER_IMAGE`, or the default where that is unset or empty. */
export function workerImageName(
  env: { SANDBOX_DOCKER_IMAGE?: string | undefined },
  warn: (sentence: string) => void,
): string {
  const configured = env.SANDBOX_DOCKER_IMAGE?.trim();
  return configured ? imageReference(configured, warn) : defaultWorkerImage;
}

/**
 * A reference that the engine accepts. Upper case in the repository, as in the documented `openTiger/worker`, is
 * lowered, and each such name is said once a process. Tags keep their case: theirs is legal and means something.
 */
export function imageReference(name: string, warn: (sentence: string) => void): string {
  if (isLegal(name)) return name;
  const lowered = lowerRepository(name);
  if (!isLegal(lowered)) throw illegal(name);
  if (!said.has(name)) {
    said.add(name);
    warn(`Docker allows no upper case in an image's name: using "${lowered}" for "${name}".`);
  }
  return lowered;
}

const said = new Set<string>();

// The grammar of the engine's own `reference` package. A first part is a registry's host only if it has a dot or
// a port, or is localhost; everything else is a repository on the default registry.
const hostLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const host = `(?:localhost|${hostLabel}(?:\\.${hostLabel})+|${hostLabel}(?:\\.${hostLabel})*:[0-9]+|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?`;
const component = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const tag = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
const digest = "[A-Za-z][A-Za-z0-9]*(?:[+._-][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const legal = new RegExp(`^((?:${host}/)?${component}(?:/${component})*)(?::${tag})?(?:@${digest})?$`);

/** The engine's limit for everything before the tag. */
const longestRepository = 255;

function isLegal(name: string): boolean {
  const repository = legal.exec(name)?.[1];
  return repository !== undefined && repository.length <= longestRepository;
}

/** Lowers all before the tag and the digest. A colon followed by a slash belongs to a registry's port. */
function lowerRepository(name: string): string {
  const [, repository = name, rest = ""] = /^([^@]*?)((?::[^:/@]*)?(?:@.*)?)$/.exec(name) ?? [];
  return repository.toLowerCase() + rest;
}

function illegal(name: string): SandboxError {
  return new SandboxError("image_name_invalid", `"${name}" cannot be the name of a Docker image.`, {
    remedy: `Use lower case letters, digits and - _ . between slashes, then a tag, as in ${defaultWorkerImage}; see SANDBOX_DOCKER_IMAGE.`,
  });
}
