import { randomUUID } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { errno, type Project, projectFileName, type VerifyCommand } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import { type Detected, detectProject } from "./detect/detect-project.ts";
import { folderFiles, readIn, repositoryTop } from "./folder-files.ts";
import { parseProjectFile, settledProject } from "./read-project.ts";

export interface InitOptions {
  /** In the repository, or in a folder of it. */
  folder: string;
  /** What is there already: refused, or written over. */
  existing: "kept" | "replaced";
}

export interface InitialisedProject {
  /** Of the file that was written. */
  path: string;
  content: WrittenProject;
  detected: string[];
}

/** The part of the file that people change. */
export interface WrittenProject {
  /** Absent where nothing is to be done: it is found out anew, once there is. */
  setup?: string[];
  /** Those without a reporter as strings. */
  verify: (string | VerifyCommand)[];
  testPaths: string[];
  protectedPaths: string[];
}

/**
 * Writes opentiger.json into the top of the repository, with what is detected in its files as they are now. Nothing else is
 * changed, and git is not asked: loops read the file from a commit, so it is of use when it is committed.
 */
export async function initProject({ folder, existing }: InitOptions): Promise<InitialisedProject> {
  const top = await repositoryTop(resolve(folder));
  if (top === undefined) {
    throw new OrchestratorError("workspace_missing", `${resolve(folder)} is in no git repository`, {
      remedy: "make one with `git init`, or go into yours",
    });
  }
  const names = await folderFiles(top);
  const read = readIn(top);
  const detected = await detectProject(read, names);
  const project = await settledProject({ file: {}, flags: {}, detected, names, read });
  const content = writtenProject(project, detected);
  const path = join(top, projectFileName);
  await write(path, readable(content), existing);
  return { path, content, detected: project.detected };
}

/** The file itself, and the programs of its checks, are protected without being named: as they are then, not as they were. */
function writtenProject(
  { setup, verify, testPaths }: Project,
  { protectedPaths }: Pick<Detected, "protectedPaths">,
): WrittenProject {
  return {
    ...(setup.length === 0 ? {} : { setup }),
    verify: verify.map((check) => (check.reporter ? check : check.command)),
    testPaths,
    protectedPaths,
  };
}

/** As text that is taken when it is read again. Else nothing is written: it would be in the way of every loop. */
function readable(content: WrittenProject): string {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  try {
    parseProjectFile(Buffer.from(text));
  } catch (cause) {
    throw new OrchestratorError(
      "project_invalid",
      `what was detected is more than a file may hold: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        remedy: `write ${projectFileName} by hand, with a \`verify\` command of yours: docs/project.md`,
        cause,
      },
    );
  }
  return text;
}

async function write(path: string, text: string, existing: InitOptions["existing"]): Promise<void> {
  const target = existing === "kept" ? path : `${path}.${randomUUID()}`;
  try {
    await writeFile(target, text, { flag: "wx" });
    if (target !== path) await rename(target, path);
  } catch (error) {
    if (errno(error) !== "EEXIST") throw error;
    throw new OrchestratorError("already_exists", `there is a ${path} already`, {
      remedy: "edit it, or write a new one over it: opentiger init --force",
    });
  }
}
