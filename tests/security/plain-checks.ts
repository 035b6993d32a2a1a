import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectFile, projectFileName } from "@opentiger/schema";
import type { FileEdits } from "../../packages/orchestrator/src/fixture/temporary-judged-loop.ts";
import { type PlainContainer, plainContainer } from "../setup/plain-container.ts";
import { temporaryFolder, testUser } from "../setup/temporary-workspace.ts";

/** A project as somebody has it who trusts its own checks. */
export interface CheckedProject {
  files: FileEdits;
  /** Those that are run where no opentiger.json names any. */
  checks?: readonly string[];
  /** Prints what its code really does, whatever the checks say. */
  shows: string;
}

interface Checked {
  /** Of the checks. */
  code: number;
  said: string;
  /** What the code does. */
  does: string;
}

/** npm would ask for a newer one of itself. */
const flags = ["--network", "none", "--env", "npm_config_update_notifier=false"];

/** What people do today: an agent changes their folder, and they run the checks there. All in one container. */
export class PlainChecks {
  readonly #container: PlainContainer;
  readonly #folder: string;
  #count = 0;

  private constructor(container: PlainContainer, folder: string) {
    this.#container = container;
    this.#folder = folder;
  }

  static async begin(): Promise<PlainChecks> {
    const folder = temporaryFolder();
    return new PlainChecks(await plainContainer(folder, { user: testUser, flags }), folder);
  }

  /** The folder of a project that is ready to be worked on. Each change is made in a copy of it. */
  async setUp({ files }: CheckedProject): Promise<string> {
    const folder = this.#next();
    edit(folder, files);
    const setup = written(files)?.setup ?? [];
    const { code, stderr } = await this.#run(folder, ["true", ...setup].join(" && "));
    if (code !== 0) throw new Error(`the set-up failed: ${stderr}`);
    return folder;
  }

  /** With the checks that the project names once it was changed: who trusts them asks nobody else. */
  async check(ready: string, { files, checks, shows }: CheckedProject, edits: FileEdits): Promise<Checked> {
    const folder = this.#next();
    cpSync(ready, folder, { recursive: true });
    edit(folder, edits);
    const named = written({ ...files, ...edits })?.verify?.map(({ command }) => command);
    const all = (named ?? checks ?? []).join(" && ");
    const { code, stdout, stderr } = await this.#run(folder, `(${all}) >&2; code=$?; ${shows}; exit $code`);
    return { code, said: stderr, does: stdout.trim() };
  }

  #run(folder: string, command: string) {
    return this.#container.run(["sh", "-c", `cd "$0" || exit; ${command}`, folder]);
  }

  #next(): string {
    this.#count += 1;
    return join(this.#folder, `${this.#count}`);
  }
}

function written({ [projectFileName]: text }: FileEdits) {
  return typeof text === "string" ? projectFile.parse(JSON.parse(text)) : undefined;
}

/** As an agent does it: what was a program is one still, and so is a script that it adds. */
function edit(folder: string, edits: FileEdits): void {
  for (const [path, content] of Object.entries(edits)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (content === null) rmSync(file);
    else if (typeof content === "string" || Buffer.isBuffer(content))
      writeFileSync(file, content, { mode: String(content).startsWith("#!") ? 0o755 : 0o644 });
    else {
      rmSync(file, { force: true });
      symlinkSync(content.link, file);
    }
  }
}
