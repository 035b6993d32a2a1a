export {
  type InitialisedProject,
  type InitOptions,
  initProject,
  type WrittenProject,
} from "./init-project.ts";
export { readProject } from "./read-project.ts";
export { readSandboxName } from "./sandbox-name.ts";
