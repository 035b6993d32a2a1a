import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { git, TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { newTask } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { reconcile } from "../recovery/reconcile/reconcile.ts";
import { cancelLoop } from "./cancel-loop.ts";
import { mergeLoop } from "./merge-loop.ts";

let place: TemporaryPlace;
let loop: TemporaryJudgedLoop;

beforeAll(async () => {
  place = await temporaryPlace();
});

beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
  loop = await TemporaryJudgedLoop.begin(place, { files: { "a/x": "1\n" }, tasks: [newTask("a")] });
});

afterEach(() => loop.remove());
afterAll(() => place.remove());

it("what was judged is merged, also where the user has an older state of the branch checked out", async () => {
  await advance("2\n");
  await reconcile(place);
  git(loop.user, "checkout", "--quiet", (await loop.row()).branch ?? "");
  const second = await advance("3\n");
  await cancelLoop(place.database, loop.id);
  expect(await mergeLoop(place, loop.id)).toMatchObject({ merged: second, how: "fast-forward" });
  git(loop.user, "checkout", "--quiet", "main");
  expect(await mergeLoop(place, loop.id)).toMatchObject({ merged: second, into: "main" });
});

it("what was judged is merged where the branch was deleted, and where none can be made", async () => {
  const first = await advance("2\n");
  await reconcile(place);
  git(loop.user, "branch", "-D", (await loop.row()).branch ?? "");
  git(loop.user, "branch", "tiger");
  await cancelLoop(place.database, loop.id);
  expect(await mergeLoop(place, loop.id)).toMatchObject({ merged: first, into: "main" });
});

it("nothing is merged while the loop adds to it, before there is anything, or when somebody else moved it", async () => {
  await expect(mergeLoop(place, loop.id)).rejects.toMatchObject({ code: "not_allowed_now" });
  await advance("2\n");
  await expect(mergeLoop(place, loop.id)).rejects.toMatchObject({
    code: "not_allowed_now",
    message: expect.stringContaining("running"),
  });
  await reconcile(place);
  await cancelLoop(place.database, loop.id);
  const head = git(loop.user, "rev-parse", "main");
  const theirs = git(loop.user, "commit-tree", "-p", "main", "-m", "theirs", "main^{tree}").trim();
  git(loop.user, "branch", "--force", (await loop.row()).branch ?? "", theirs);
  await expect(mergeLoop(place, loop.id)).rejects.toMatchObject({ code: "branch_moved" });
  expect(git(loop.user, "rev-parse", "main")).toBe(head);
});

async function advance(content: string): Promise<string> {
  const { branchOid } = await loop.row();
  const oid = loop.commit(branchOid ?? "", { "a/x": content });
  await place.database.query("update loops set branch_oid = $2 where id = $1", [loop.id, oid]);
  return oid;
}
