import { z } from "zod";
import { networkPolicy } from "./network.ts";

/** The project's file, in the top folder of the repository. */
export const projectFileName = "opentiger.json";

export const reporterFormats = ["junit", "tap", "vitest-json"] as const;
export const reporterFormat = z.enum(reporterFormats);
export type ReporterFormat = z.infer<typeof reporterFormat>;

export const longestRepositoryPath = 1_000;

/** A path or glob of the repository, relative to its top. */
const repositoryPath = z
  .string()
  .min(1)
  .max(longestRepositoryPath)
  .refine(
    (path) => !path.startsWith("/") && !path.split("/").includes(".."),
    "must lie within the repository",
  );

/** A command of the shell. A reporter tells what each test did; without one the exit status alone decides. */
export const verifyCommand = z.strictObject({
  command: z.string().min(1).max(10_000),
  reporter: z
    .strictObject({
      format: reporterFormat,
      /** The file that it writes; absent: its stdout. */
      path: repositoryPath.optional(),
    })
    .optional(),
});
export type VerifyCommand = z.infer<typeof verifyCommand>;

/** Written as a string where it has no reporter. */
export const writtenVerify = z.union([
  z
    .string()
    .min(1)
    .max(10_000)
    .transform((command): VerifyCommand => ({ command })),
  verifyCommand,
]);

const phaseNetwork = z.strictObject({
  policy: networkPolicy.optional(),
  /** Hosts that are allowed besides, as `docker sandbox network proxy --allow-host` takes them. */
  allow: z.array(z.string().min(1)).max(200).default([]),
});
export type PhaseNetwork = z.infer<typeof phaseNetwork>;

/** What a phase may reach: while the project is set up, while agents work, while checks run. */
export const networkPhases = ["setup", "run", "verify"] as const;
export type NetworkPhase = (typeof networkPhases)[number];

/** As `docker sandbox create --memory` takes it. */
const memorySize = z.string().regex(/^\d{1,9}[kmgt]$/i, "a size such as 512m or 4g");

/** More than what is detected in twenty folders, each with a project of every kind: it can be written down. */
const mostCommands = 200;
const mostPaths = 500;

/** The project's file. A key that is not known is refused, so that a slip of the pen is not a silent default. */
export const projectFile = z.strictObject({
  $schema: z.string().optional(),
  /** The image or template that sandboxes start from; default: that of the agent. */
  image: z.string().min(1).optional(),
  /** Run once on the base, without agent or secret. */
  setup: z.array(z.string().min(1).max(10_000)).max(mostCommands).optional(),
  verify: z.array(writtenVerify).max(mostCommands).optional(),
  /** The only variables that a sandbox is handed. No secret belongs here: it is committed. */
  env: z
    .record(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
        .refine((name) => !/^OPENTIGER_/i.test(name), "is ours: choose another name"),
      z.string().max(10_000),
    )
    .optional(),
  network: z
    .strictObject({
      setup: phaseNetwork.optional(),
      run: phaseNetwork.optional(),
      verify: phaseNetwork.optional(),
    })
    .optional(),
  /** Tests: the judge checks again with those of the base. */
  testPaths: z.array(repositoryPath).max(mostPaths).optional(),
  /** Scripts, runner configuration, CI: the same. */
  protectedPaths: z.array(repositoryPath).max(mostPaths).optional(),
  limits: z
    .strictObject({
      memory: memorySize.optional(),
      cpus: z.number().positive().optional(),
      pids: z.number().int().positive().optional(),
      /** What one task may change. */
      changedFiles: z.number().int().positive().optional(),
      changedBytes: z.number().int().positive().optional(),
      binaries: z.enum(["refused", "allowed"]).optional(),
    })
    .optional(),
});
export type ProjectFile = z.infer<typeof projectFile>;

/** What holds for a project in the end: its file, what was detected where that is silent, and flags. */
export const project = z.object({
  image: z.string().nullable(),
  setup: z.array(z.string()),
  verify: z.array(verifyCommand),
  env: z.record(z.string(), z.string()),
  network: z.record(
    z.enum(networkPhases),
    z.object({ policy: networkPolicy.nullable(), allow: z.array(z.string()) }),
  ),
  testPaths: z.array(z.string()),
  protectedPaths: z.array(z.string()),
  /** Files whose change means that the set-up has to be done again. */
  lockFiles: z.array(z.string()),
  limits: z.object({
    memory: z.string().nullable(),
    cpus: z.number().nullable(),
    pids: z.number().nullable(),
    changedFiles: z.number(),
    changedBytes: z.number(),
    binaries: z.enum(["refused", "allowed"]),
  }),
  /** What was detected, in words for the user, such as `npm (package-lock.json)`. */
  detected: z.array(z.string()),
  /** Where each part comes from. */
  sources: z.record(z.string(), z.enum(["file", "detected", "flag", "default"])),
});
export type Project = z.infer<typeof project>;
