import type { Sandbox } from "@opentiger/sandbox";
import type { Place } from "../place.ts";
import { isAncestor } from "./ancestry.ts";
import { bareRepository } from "./bare-repository.ts";
import { changesBetween } from "./changes.ts";
import { type CollectInput, collectHead } from "./collect.ts";
import { type NewCommit, writeCommit } from "./commit.ts";
import { type DiffOptions, diffText, patchOf } from "./diff.ts";
import type { FileChange } from "./file-change.ts";
import { readContent } from "./file-content.ts";
import { presentCommits } from "./history-transfer.ts";
import { ignoredPaths } from "./ignored-paths.ts";
import { type ImportedBase, importBase } from "./import-base.ts";
import { type MergedTrees, mergeTrees, type TreesToMerge } from "./merge-trees.ts";
import { objectContents } from "./objects.ts";
import { checkedOid } from "./oid.ts";
import type { OwnGit } from "./own-git.ts";
import { readPins, removePin, removePins, setPin } from "./pins.ts";
import {
  copyToUser,
  type Hindrance,
  type ProjectedLoop,
  type Projection,
  projectBranch,
  removeProjected,
} from "./projection.ts";
import { type PathsToRestore, restorePaths } from "./restore-paths.ts";
import { tidyRepository } from "./tidy.ts";
import type { TreeEntry } from "./tree-entry.ts";
import { listTree } from "./tree-listing.ts";

/**
 * The host's own bare repository for one of the user's. All git work of loops happens here, never in a tree that an
 * agent wrote; the user's repository is read when a loop begins, and gets one branch. Everything may be done again
 * after a kill at any moment, and by several processes at once. Commits and trees are named by their full ids.
 */
export class LoopRepository {
  /** Of the bare one. */
  readonly path: string;
  readonly userPath: string;
  readonly #own: OwnGit;

  private constructor(own: OwnGit, userPath: string) {
    this.#own = own;
    this.path = own.path;
    this.userPath = userPath;
  }

  /** Makes the bare one where it is missing. The signal ends whatever is under way here later. */
  static async open(
    place: Pick<Place, "folder" | "env">,
    repository: { id: string; path: string },
    signal?: AbortSignal,
  ): Promise<LoopRepository> {
    return new LoopRepository(await bareRepository(place.folder, repository, signal), repository.path);
  }

  /** The commit that the loop starts from: HEAD, or the revision that is named. See import-base.ts. */
  async importBase(loop: string, revision?: string): Promise<ImportedBase> {
    return importBase(this.#own, this.userPath, loop, revision);
  }

  async commit(input: NewCommit): Promise<string> {
    return writeCommit(this.#own, input);
  }

  async tree(commit: string): Promise<string> {
    return (await this.#own.run(["rev-parse", "--verify", `${checkedOid(commit)}^{tree}`])).trim();
  }

  /** Whether this commit is here. */
  async has(commit: string): Promise<boolean> {
    return (await presentCommits(this.#own, [checkedOid(commit)])).length > 0;
  }

  async isAncestor(ancestor: string, commit: string): Promise<boolean> {
    return isAncestor(this.#own, ancestor, commit);
  }

  /** A regular file; undefined where there is none, or something else. */
  async readFile(commit: string, path: string): Promise<Buffer | undefined> {
    return readContent(this.#own, commit, path);
  }

  /** What these objects of a listing hold; a link holds where it leads. The caller has seen to it that they are small. */
  async contents(oids: readonly string[]): Promise<Map<string, Buffer>> {
    return objectContents(this.#own, oids.map(checkedOid));
  }

  async listFiles(commit: string, globs?: readonly string[]): Promise<TreeEntry[]> {
    return listTree(this.#own, commit, globs);
  }

  /** Of these, the paths that the .gitignore files of a commit leave out of commits. */
  async ignored(commit: string, paths: readonly string[]): Promise<string[]> {
    return ignoredPaths(this.#own, commit, paths);
  }

  async mergeTrees(input: TreesToMerge): Promise<MergedTrees> {
    return mergeTrees(this.#own, input);
  }

  async restorePaths(input: PathsToRestore): Promise<{ tree: string; restored: string[] }> {
    return restorePaths(this.#own, input);
  }

  /** What the agent in a sandbox committed. See collect.ts. */
  async collect(sandbox: Pick<Sandbox, "exec">, input: CollectInput): Promise<{ headOid: string }> {
    return collectHead(this.#own, sandbox, input);
  }

  async changes(from: string, to: string): Promise<FileChange[]> {
    return changesBetween(this.#own, from, to);
  }

  async diff(from: string, to: string, options: DiffOptions = {}): Promise<{ text: string; cut: boolean }> {
    return diffText(this.#own, from, to, options);
  }

  patch(baseOid: string, tipOid: string): AsyncIterable<Buffer> {
    return patchOf(this.#own, baseOid, tipOid);
  }

  /** Keeps a commit and its history under `refs/opentiger/LOOP/NAME`. */
  async pin(loop: string, name: string, oid: string): Promise<void> {
    await setPin(this.#own, loop, name, oid);
  }

  async unpin(loop: string, name: string): Promise<void> {
    await removePin(this.#own, loop, name);
  }

  async pins(loop: string): Promise<Map<string, string>> {
    return readPins(this.#own, loop);
  }

  async dropLoop(loop: string): Promise<void> {
    await removePins(this.#own, loop);
  }

  /** Shows the loop's branch in the user's repository. See projection.ts. */
  async project(loop: ProjectedLoop): Promise<Projection> {
    return projectBranch(this.#own, this.userPath, loop);
  }

  /** The commits of the loop's branch, whatever the user's repository shows of it. */
  async bringToUser(loop: ProjectedLoop): Promise<void> {
    await copyToUser(this.#own, this.userPath, loop);
  }

  async removeProjection(loop: ProjectedLoop): Promise<{ removed: boolean } | Hindrance> {
    return removeProjected(this.#own, this.userPath, loop);
  }

  /** Drops what nobody needs any more. Now and then is enough. */
  async tidy(): Promise<void> {
    await tidyRepository(this.#own);
  }
}
