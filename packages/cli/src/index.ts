export { runProgram } from "./program/main.ts";
export { opentigerProgram } from "./program/opentiger.ts";
export { withSandboxVerbs } from "./program/sandbox-verbs.ts";
export type { Surroundings } from "./program/surroundings.ts";
