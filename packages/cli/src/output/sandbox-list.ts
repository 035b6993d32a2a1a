import type { SandboxSummary } from "@opentiger/schema";
import type { Surroundings } from "../program/surroundings.ts";
import { age } from "./age.ts";
import { type Colours, coloursFor, inStateColour } from "./colours.ts";
import { printable, renderTable } from "./table.ts";

export interface SandboxList {
  shown: readonly SandboxSummary[];
  /** How many others were left out. */
  hidden: number;
}

/**
 * The table of `ls`. The original's four columns come first, so that a script that counts columns goes on working. A
 * sandbox whose network is open is not to be overlooked, and one that we paused comes with the reason. On a terminal it is coloured, `~` stands for the home folder, and long paths are shortened in the middle.
 */
export function renderList(list: SandboxList, surroundings: Surroundings): string {
  const { stdout, env, invocation } = surroundings;
  const colours = coloursFor(stdout, env);
  if (list.shown.length === 0 && stdout.isTTY) return noSandboxes(list, invocation);
  const head = ["SANDBOX", "AGENT", "STATUS", "WORKSPACE", "KIND", "NETWORK", "AGE"];
  const rows = list.shown.map((sandbox) => row(sandbox, surroundings, colours));
  const table = renderTable([stdout.isTTY ? head.map((name) => colours.dim(name)) : head, ...rows]);
  return table + (stdout.isTTY ? pausedHints(list.shown, invocation) + hiddenHint(list.hidden, colours) : "");
}

function pausedHints(shown: readonly SandboxSummary[], invocation: string): string {
  return shown
    .flatMap(({ name, reason }) =>
      reason ? [`${name} is paused: ${printable(reason)}\n  → ${invocation} resume ${name}\n`] : [],
    )
    .join("");
}

function row(sandbox: SandboxSummary, { stdout, env, now }: Surroundings, colours: Colours): string[] {
  const { name, agent, status, workspaces, workspaceKind, createdAt, network, own } = sandbox;
  const paths = workspaces.map(({ path, readOnly }) => path + (readOnly ? ":ro" : "")).map(printable);
  const workspace = paths.join(", ") || "-";
  return [
    own ? colours.bold(printable(name)) : colours.dim(printable(name)),
    printable(agent),
    inStateColour(status, status, colours),
    stdout.isTTY ? shorten(homely(workspace, env["HOME"]), workspaceWidth(stdout.columns)) : workspace,
    own ? workspaceKind : `${workspaceKind} (of another instance)`,
    network === "open" ? colours.red(colours.bold("OPEN")) : (network ?? "-"),
    age(new Date(createdAt), now()),
  ];
}

/** The other columns need more than half of a narrow terminal. */
function workspaceWidth(columns: number | undefined): number {
  return Math.max(20, Math.floor(((columns ?? 100) * 2) / 5));
}

function homely(path: string, home: string | undefined): string {
  if (!home || home === "/") return path;
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Both ends of a path say the most. */
function shorten(text: string, width: number): string {
  if (text.length <= width) return text;
  const head = Math.floor((width - 1) / 3);
  return `${text.slice(0, head)}…${text.slice(text.length - (width - 1 - head))}`;
}

function noSandboxes({ hidden }: SandboxList, invocation: string): string {
  const others = hidden > 0 ? ` (${hidden} of other instances: ${invocation} ls -a)` : "";
  return `No sandboxes yet${others}. Make one for this folder:\n  ${invocation} create claude .\n`;
}

function hiddenHint(hidden: number, colours: Colours): string {
  return hidden > 0 ? colours.dim(`${hidden} more of other instances on this engine: ls -a\n`) : "";
}
