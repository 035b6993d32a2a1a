import type { VerifyCommand } from "@opentiger/schema";
import type { ProjectFiles } from "./project-files.ts";

/** One kind of project: how it is known, set up and checked. Each is one file with this shape. */
export interface Kind {
  readonly name: string;
  /** undefined: it is none of this kind. */
  detect(files: ProjectFiles): Promise<DetectedPart | undefined>;
}

/** What a kind found. Paths and commands are those of the folder that it was asked about. */
export interface DetectedPart {
  /** In words for the user, such as `npm (package-lock.json)`. */
  detected: string;
  setup: string[];
  verify: VerifyCommand[];
  testPaths: string[];
  protectedPaths: string[];
  /** Files whose change means that the set-up has to be done again. */
  lockFiles: string[];
}

/** Where reports go that we ask a runner for: in the top folder, never committed. */
export const reportPath = {
  json: ".opentiger-tests.json",
  tap: ".opentiger-tests.tap",
  xml: ".opentiger-tests.xml",
};
