export type { Opening } from "./conversation/opening.ts";
export type { Tokens } from "./scenario/reply.ts";
export {
  type Scenario,
  type ScenarioChoice,
  type ScenarioInput,
  scenarioSchema,
  scriptSchema,
  whenPrompt,
} from "./scenario/scenario.ts";
export type { Step } from "./scenario/step.ts";
export * from "./scenario/steps.ts";
export type { RequestRecord } from "./server/records.ts";
export type { Sent, SessionReport } from "./server/session.ts";
export { type ModelSim, type ModelSimOptions, startModelSim } from "./sim.ts";
