import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type LoopSettings, loopSettings } from "@opentiger/schema";
import { LoopRepository } from "../git/repository.ts";
import { unsynced } from "../git/unsynced.ts";
import type { Place } from "../place.ts";
import { change } from "../state/change.ts";
import { heldTests } from "../state/held-tests.ts";
import { addJudgement } from "../state/judgements.ts";
import { type Lease, takeLease } from "../state/lease.ts";
import { lockLoop } from "../state/locks.ts";
import { createLoop, findLoop, type LoopRow, newLoopId } from "../state/loops.ts";
import { ensureRepository } from "../state/repositories.ts";
import { startRun } from "../state/runs.ts";
import { openStage } from "../state/stages.ts";
import { listTasks, type NewTask, type TaskRow } from "../state/tasks.ts";
import { commitOf, mergeCandidate } from "./merged-candidate.ts";

/** By path: what a file holds, null where it is removed, or where a link leads. */
export type FileEdits = Readonly<Record<string, string | Buffer | null | { link: string }>>;

export interface JudgedLoopOptions {
  files: FileEdits;
  tasks: readonly NewTask[];
  settings?: Partial<LoopSettings>;
}

/** A running loop of a test, on a repository of a user's, whose tasks have candidates that were made by hand. */
export class TemporaryJudgedLoop {
  readonly place: Place;
  readonly repository: LoopRepository;
  /** The user's repository. */
  readonly user: string;
  readonly id: string;

  private constructor(place: Place, repository: LoopRepository, id: string) {
    this.place = place;
    this.repository = repository;
    this.user = repository.userPath;
    this.id = id;
  }

  static async begin(place: Place, options: JudgedLoopOptions): Promise<TemporaryJudgedLoop> {
    const user = userRepository(options.files);
    const row = await ensureRepository(place.database, { path: user, name: "sample" });
    const repository = unsynced(await LoopRepository.open(place, row));
    const id = newLoopId();
    const { baseOid } = await repository.importBase(id);
    const settings = loopSettings.parse(options.settings ?? {});
    const plan = { tasks: options.tasks, approved: true };
    await createLoop(
      place.database,
      {
        repository: row.id,
        requirement: "All of it.",
        source: { kind: "single" },
        settings,
        baseOid,
        branch: `tiger/${id}`,
        plan,
      },
      id,
    );
    return new TemporaryJudgedLoop(place, repository, id);
  }

  async row(): Promise<LoopRow> {
    const loop = await findLoop(this.place.database, this.id);
    if (!loop) throw new Error("the loop is gone");
    return loop;
  }

  async task(number = 1): Promise<TaskRow> {
    const { items } = await listTasks(this.place.database, { loop: this.id, limit: 500 });
    const task = items.find((each) => each.number === number);
    if (!task) throw new Error(`there is no task ${number}`);
    return task;
  }

  /** The right to work on the open stage of a task, as a claim gives it. */
  async claim(number = 1, owner = "test"): Promise<Lease> {
    const { id, state } = await this.task(number);
    return this.place.database.transaction(async (on) => {
      await lockLoop(on, this.id);
      const stage = await openStage(on, id);
      if (!stage) throw new Error(`task ${number} has no open stage`);
      const lease = await takeLease(
        on,
        { stage: stage.id, loop: this.id, task: id },
        { owner, leaseMs: 600_000 },
      );
      if (stage.kind !== "run" || (state !== "queued" && state !== "blocked(needs_rework)")) return lease;
      await change(on, { what: "task", id, by: "claim", from: state, fence: lease.fence });
      return lease;
    });
  }

  /** The commit that an agent would be given: the branch, and the tests that were written for its task. */
  async start(number = 1): Promise<string> {
    const { branchOid } = await this.row();
    const tip = branchOid ?? "";
    const held = await heldTests(this.place.database, (await this.task(number)).id);
    const merged = await mergeCandidate(this.repository, { tip, baseOid: tip, candidateOid: tip, held });
    if (!merged.ok) throw new Error("the tests do not go together with the branch");
    return held.length === 0 ? tip : commitOf(this.repository, merged.tree, tip);
  }

  /** As its agent leaves a task: with this change as its candidate, waiting for the judge. */
  async submit(
    number: number,
    edits: FileEdits,
    options: { on?: string; message?: string } = {},
  ): Promise<string> {
    const baseOid = options.on ?? (await this.start(number));
    const candidateOid = this.commit(baseOid, edits, options.message);
    const lease = await this.claim(number);
    const { id, role } = await this.task(number);
    const { database } = this.place;
    const session = `session-of-${number}`;
    const run = await startRun(database, lease, { agent: "claude_code", role, baseOid, session });
    if (!run) throw new Error("the lease is over");
    const { fence } = lease;
    await change(database, {
      what: "run",
      id: run.id,
      by: "succeed",
      from: "running",
      fence,
      set: { candidateOid },
    });
    await this.repository.pin(this.id, `task-${number}/candidate`, candidateOid);
    const set = { baseOid, candidateOid };
    await change(database, { what: "task", id, by: "submit", from: "running", fence, set });
    return candidateOid;
  }

  /** A judgement that nobody made. */
  async pass(number: number): Promise<void> {
    const lease = await this.claim(number);
    const { id, candidateOid } = await this.task(number);
    const { branchOid } = await this.row();
    const evidence = { rounds: [], redBefore: [], notes: [], opinions: [], trouble: null };
    await this.place.database.transaction(async (on) => {
      await addJudgement(on, {
        task: id,
        run: null,
        candidateOid: candidateOid ?? "",
        baseOid: branchOid ?? "",
        judgement: "pass",
        evidence,
        points: [],
      });
      const asked = {
        what: "task",
        id,
        by: "pass",
        from: "blocked(awaiting_judge)",
        fence: lease.fence,
      } as const;
      await change(on, asked);
    });
  }

  /** A commit in the loop's own repository, as an agent's would be. */
  commit(parent: string, edits: FileEdits, message = "By an agent"): string {
    const ref = `refs/opentiger/${this.id}/made/${randomUUID()}`;
    const words = ["fast-import", "--quiet", "--done", "--date-format=now"];
    return execFileSync("git", ["-C", this.repository.path, ...words], {
      input: Buffer.concat([...commitCommands(ref, parent, message), ...editCommands(edits), endCommands]),
      stdio: ["pipe", "pipe", "pipe"],
      encoding: "utf8",
    }).trim();
  }

  /** The commits of the branch in the user's repository that the base does not have, newest first. */
  async shown(): Promise<string[]> {
    const { branch, baseOid } = await this.row();
    const lines = git(this.user, "log", "--format=%s", `${baseOid}..refs/heads/${branch}`);
    return lines === "" ? [] : lines.split("\n");
  }

  remove(): void {
    rmSync(this.user, { recursive: true, force: true });
  }
}

/** To git fast-import, which makes a commit in one process: on this parent, with what follows. */
function commitCommands(ref: string, parent: string, message: string): Buffer[] {
  const head = `commit ${ref}\nmark :1\ncommitter Agent <agent@example.test> now\n`;
  return [Buffer.from(head), data(message), Buffer.from(`from ${parent}\n`)];
}

function editCommands(edits: FileEdits): Buffer[] {
  return Object.entries(edits).flatMap(([path, content]) => {
    const name = JSON.stringify(path);
    if (content === null) return [Buffer.from(`D ${name}\n`)];
    const isFile = typeof content === "string" || Buffer.isBuffer(content);
    const mode = isFile ? "100644" : "120000";
    return [Buffer.from(`M ${mode} inline ${name}\n`), data(isFile ? content : content.link)];
  });
}

/** Its name is said. */
const endCommands = Buffer.from("\nget-mark :1\ndone\n");

function data(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n")]);
}

function userRepository(files: FileEdits): string {
  const folder = mkdtempSync(join(tmpdir(), "ot-user-"));
  git(folder, "init", "--quiet", "--initial-branch=main");
  appendFileSync(join(folder, ".git/config"), "[user]\nname = Una User\nemail = una@example.test\n");
  edit(folder, files);
  commitAll(folder, "base");
  return folder;
}

function edit(folder: string, edits: FileEdits): void {
  for (const [path, content] of Object.entries(edits)) {
    const file = join(folder, path);
    rmSync(file, { force: true });
    if (content !== null) {
      mkdirSync(dirname(file), { recursive: true });
      if (typeof content === "string" || Buffer.isBuffer(content)) writeFileSync(file, content);
      else symlinkSync(content.link, file);
    }
  }
}

function commitAll(folder: string, message: string): void {
  git(folder, "add", "--all", "--force");
  const author = ["-c", "user.name=Agent", "-c", "user.email=agent@example.test"];
  git(folder, ...author, "commit", "--quiet", "--allow-empty", `--message=${message}`);
}

export function git(folder: string, ...words: string[]): string {
  return execFileSync("git", ["-C", folder, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  }).trim();
}
