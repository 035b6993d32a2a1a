import { useSyncExternalStore } from "react";
import { readEvents } from "../live/event-stream.ts";
import { words } from "../words/words.ts";
import { send } from "./ask.ts";
import { ApiFailure, failureOf } from "./failure.ts";

export interface ImageBuild {
  state: "building" | "built" | "failed";
  /** Which step of how many, where the engine has said. */
  step: number;
  steps: number;
  text: string;
  lines: readonly string[];
  failure: ApiFailure | undefined;
  /** An image of the same recipe was there already. */
  unchanged: boolean;
}

export interface BuildChoices {
  base: "registry" | "debian";
  /** Without the engine's cache. */
  fresh: boolean;
}

/** As much of the output as somebody scrolls back. */
const maxLines = 500;

let current: ImageBuild | undefined;
let stopper: AbortController | undefined;
const listeners = new Set<() => void>();

/** The build that goes on or went on in this window, whichever page is shown meanwhile. */
export function useImageBuild(): ImageBuild | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

/** Builds and follows it. The server ends a build that nobody listens to, so it lasts as long as this window. */
export async function buildImage(options: BuildChoices): Promise<void> {
  if (current?.state === "building") return;
  const stop = new AbortController();
  stopper = stop;
  set({ state: "building", step: 0, steps: 0, text: "", lines: [], failure: undefined, unchanged: false });
  try {
    const answer = await send("POST", "/system/docker/build", { body: options, signal: stop.signal });
    for await (const { event, data } of readEvents(answer)) take(event, JSON.parse(data || "{}"));
    endCutOff();
  } catch (error) {
    if (stop.signal.aborted) set(undefined);
    else fail(failureOf(error));
  }
}

/** The stream has ended: whoever said neither that it is built nor that it failed is not there any more. */
function endCutOff(): void {
  const { unreachableRemedy } = words.errors;
  if (current?.state === "building")
    fail(new ApiFailure("unreachable", words.system.buildCutOff, 0, unreachableRemedy));
}

export function stopBuild(): void {
  stopper?.abort();
}

function take(event: string, data: Readonly<Record<string, unknown>>): void {
  if (!current) return;
  if (event === "built") set({ ...current, state: "built", unchanged: data["built"] === false });
  else if (event === "failed") {
    fail(new ApiFailure(textOf(data["code"]), textOf(data["message"]), 0, textOf(data["remedy"])));
  } else if (event === "progress") set(withProgress(current, data));
}

function withProgress(build: ImageBuild, data: Readonly<Record<string, unknown>>): ImageBuild {
  const text =
    data["kind"] === "pull" ? `${textOf(data["layer"])} ${textOf(data["status"])}` : textOf(data["text"]);
  const lines = [...build.lines, ...text.split("\n").filter((line) => line.trim() !== "")].slice(-maxLines);
  if (data["kind"] !== "step") return { ...build, lines };
  return { ...build, lines, text, step: Number(data["step"]), steps: Number(data["steps"]) };
}

function fail(failure: ApiFailure): void {
  if (current) set({ ...current, state: "failed", failure });
}

function set(next: ImageBuild | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
