import type { ServerWorld } from "../../setup/server-world.ts";

/** What is there when routes are asked. */
export interface RouteWorld {
  world: ServerWorld;
  /** A folder with a git repository in it, and one without. */
  repository: string;
  workspace: string;
  keyId: string;
}

export interface Call {
  path: string | ((known: RouteWorld) => string);
  body?: object | ((known: RouteWorld) => object);
  status: number;
  headers?: Record<string, string>;
  /** Of a stream only the head is looked at. */
  stream?: true;
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

export const run =
  (rest = "") =>
  ({ world }: RouteWorld) =>
    `/runs/${world.run}${rest}`;
