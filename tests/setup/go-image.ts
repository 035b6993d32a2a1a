import { execFileSync } from "node:child_process";
import { workerImage } from "./docker.ts";

/** The worker image with Debian's Go: what the remedy for a Go project asks for. */
export const goImage = "opentiger-test/go:latest";

/** The worker image's own user may install nothing. */
const dockerfile = `FROM ${workerImage}
USER root
RUN apt-get -o Acquire::Retries=3 update \\
  && apt-get -o Acquire::Retries=3 -y --no-install-recommends install golang-go \\
  && rm -rf /var/lib/apt/lists/*
USER worker
`;

export function buildGoImage(): void {
  execFileSync("docker", ["build", "--quiet", "--tag", goImage, "-"], {
    input: dockerfile,
    stdio: ["pipe", "ignore", "inherit"],
  });
}
