import type { LoginProblem, LoginProblemCode } from "@opentiger/schema";

export interface LoginProblemRule {
  /** What it says about the agent, for docs/logins.md. */
  meaning: string;
  /** Said where nobody nearer to the trouble knows a better one. */
  remedy: string;
}

/** The one table of what may be wrong with an agent before it is started; docs/logins.md is made of it. */
export const loginProblems: Readonly<Record<LoginProblemCode, LoginProblemRule>> = {
  docker_unavailable: {
    meaning: "No Docker engine answers at the address that `docker` would use.",
    remedy:
      "start Docker (sudo systemctl start docker, or Docker Desktop), or choose another engine with --context or DOCKER_HOST",
  },
  docker_permission: {
    meaning: "There is an engine, and you may not speak to it.",
    remedy:
      "sudo usermod -aG docker $USER and log in again, or use rootless Docker: https://docs.docker.com/engine/security/rootless/",
  },
  docker_timeout: {
    meaning: "An engine is there and does not answer in time.",
    remedy: "restart Docker (sudo systemctl restart docker), and see what `docker info` says",
  },
  image_missing: {
    meaning: "The engine does not have the image that sandboxes are made from.",
    remedy: "opentiger image build",
  },
  cli_missing: {
    meaning: "The agent's CLI is not there, on the host or in the image, or does not start.",
    remedy: "install it, or `opentiger image build` for the image",
  },
  auth_required: {
    meaning: "There is nothing to log in with.",
    remedy: "log in with the agent's CLI, or set its API key",
  },
  auth_expired: {
    meaning: "The login has run out and cannot be renewed.",
    remedy: "log in anew with the agent's CLI",
  },
  auth_rejected: {
    meaning: "The model's API refuses what is there, or it could never be a credential.",
    remedy: "put in a credential that works",
  },
  credentials_unreadable: {
    meaning: "The vault or a login cannot be read, so it is not known what there is.",
    remedy: "see `opentiger secrets status`",
  },
  timeout: {
    meaning: "The CLI or the model's API did not answer in time.",
    remedy: "try again; `opentiger sandboxd logs` may say more",
  },
  network: {
    meaning: "The model's API cannot be reached, or is in trouble itself.",
    remedy: "check this machine's network and proxy settings, and try again",
  },
  unverified: {
    meaning: "A login is there, and nothing proves that it is good.",
    remedy: "ask the model once, which costs a few tokens: add --deep",
  },
  unknown: {
    meaning: "Something else went wrong; the message says what.",
    remedy: "see `opentiger sandboxd logs`",
  },
};

export function loginProblem(code: LoginProblemCode, message: string, remedy?: string | null): LoginProblem {
  return { code, message, remedy: remedy || loginProblems[code].remedy };
}

/** The table of docs/logins.md. */
export function loginProblemTable(): string {
  const rows = Object.entries(loginProblems).map(
    ([code, { meaning, remedy }]) => `| \`${code}\` | ${meaning} | ${remedy} |`,
  );
  return ["| code | meaning | remedy |", "|---|---|---|", ...rows, ""].join("\n");
}
