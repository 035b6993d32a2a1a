import type { ServerWorld } from "../../setup/server-world.ts";
import type { RouteStates } from "./route-states.ts";

/** What is there when routes are asked. */
export interface RouteWorld {
  url: string;
  world: ServerWorld;
  /** A folder with a commit in it, and one that is no repository. */
  repository: string;
  workspace: string;
  keyId: string;
  /** Another one, to ask with. */
  key: string;
  states: RouteStates;
  /** The token of a login link. */
  login: string;
  /** Of a secret. */
  lease: string;
  /** Of this machine, and free. */
  port: number;
}

export interface Call {
  path: string | ((known: RouteWorld) => string);
  body?: object | ((known: RouteWorld) => object);
  status: number;
  /** What is in the answer besides what the document says: some of its fields, or of its text. */
  says?: object | string;
  /** What has to happen first. */
  before?: (known: RouteWorld) => Promise<unknown>;
  headers?: Record<string, string>;
  /** Of a stream only the head is looked at. */
  stream?: true;
  /** Asked as a WebSocket, by the name of the sandbox. */
  socket?: string;
  /** Asked of a server without an engine: nothing is built by a test that asks for it. */
  engineless?: true;
}

/** A route, once as it should be asked and once as it should not. */
export interface Row {
  route: string;
  good: Call;
  bad: Call;
}

/** An id that nobody has. */
export const none = "00000000-0000-4000-8000-000000000000";

export const loop =
  (rest = "") =>
  ({ world }: RouteWorld) =>
    `/loops/${world.loop}${rest}`;

export const task =
  (index: 0 | 1 | 2, rest = "") =>
  ({ world }: RouteWorld) =>
    `/tasks/${world.tasks[index]}${rest}`;

/** A loop in a state of its own. */
export const loopIn =
  (state: "waiting" | "failed" | "done", rest: string) =>
  ({ states }: RouteWorld) =>
    `/loops/${states[state]}${rest}`;

export const run =
  (rest = "") =>
  ({ world }: RouteWorld) =>
    `/runs/${world.run}${rest}`;
