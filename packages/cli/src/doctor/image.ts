import {
  type BundledAgent,
  buildWorkerImage,
  bundledAgents,
  findAgentCli,
  SandboxError,
} from "@opentiger/sandbox";
import { type Check, type Finding, ok } from "./check.ts";
import { failure } from "./run-checks.ts";
import type { Ward } from "./ward.ts";

/** A container is started for each CLI of an image that nobody has looked into yet. */
const lookMs = 60_000;

/** The image that sandboxes start from, and the CLIs in it as they say themselves. */
export const imageCheck: Check = {
  name: "image",
  timeoutMs: lookMs,
  async look(ward) {
    if (!(await ward.reachable())) return [];
    const image = await ward.setting("SANDBOX_DOCKER_IMAGE");
    const looks = await Promise.all(bundledAgents.map((agent) => lookFor(agent, image, ward)));
    const broken = looks.filter((look) => typeof look !== "string");
    const there = looks.filter((look) => typeof look === "string");
    if (broken.length === 0) return [ok(`${image}: ${there.join(", ")}`)];
    // An image that is missing is missing for every one of them.
    const distinct = new Map(broken.map((finding) => [finding.message, finding]));
    const host = (await ward.setting("EXECUTION_ENVIRONMENT")) === "host";
    return [...distinct.values()].map((finding) => (host ? { ...finding, status: "warn" } : finding));
  },
};

async function lookFor(agent: BundledAgent, image: string, ward: Ward): Promise<string | Finding> {
  try {
    const { version } = await findAgentCli({ agent, image, env: ward.env, signal: ward.signal });
    return `${agent} ${version.replace(/^\D*(?=\d)/, "").replace(/ \(.*$/, "")}`;
  } catch (error) {
    const code = error instanceof SandboxError ? error.code : undefined;
    const ours = code === "image_missing" || code === "cli_missing";
    return { ...failure(error), ...(ours ? { fix: (given: Ward) => build(image, given) } : {}) };
  }
}

/** As `opentiger image build` does. */
async function build(tag: string, { engine, env, signal }: Ward): Promise<string> {
  const image = await buildWorkerImage({ docker: engine.docker, env, signal, tag });
  return image.built ? `built ${image.tag}` : `${image.tag} is as it should be`;
}
