import pc from "picocolors";

export type Colours = ReturnType<typeof pc.createColors>;

/** Colours for one stream: only on a terminal, and never against NO_COLOR (https://no-color.org) or a dumb one. */
export function coloursFor(stream: { isTTY?: boolean | undefined }, env: NodeJS.ProcessEnv): Colours {
  if (env["NO_COLOR"]) return pc.createColors(false);
  if (env["FORCE_COLOR"] && env["FORCE_COLOR"] !== "0") return pc.createColors(true);
  return pc.createColors(stream.isTTY === true && env["TERM"] !== "dumb");
}
