import { execFileSync } from "node:child_process";
import { workerImage } from "./docker.ts";

/** The worker image with Debian's Go: what the remedy for a Go project asks for. */
export const goImage = "opentiger-test/go:latest";

const dockerfile = `FROM ${workerImage}
RUN apt-get -o Acquire::Retries=3 update && apt-get -y --no-install-recommends install golang-go && rm -rf /var/lib/apt/lists/*
`;

export function buildGoImage(): void {
  execFileSync("docker", ["build", "--quiet", "--tag", goImage, "-"], {
    input: dockerfile,
    stdio: ["pipe", "ignore", "inherit"],
  });
}
