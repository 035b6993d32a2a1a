import { expect, it } from "vitest";
import { temporaryFolder } from "../../../fixture/temporary-folder.ts";
import { openState } from "../../../state/state.ts";
import { offer, take, tokens, withdraw } from "./tokens.ts";

it("a parked sandbox is taken once, by its key, and the taker is known until it is withdrawn", () => {
  const state = openState(temporaryFolder());
  offer(state, "key", "aaa");
  offer(state, "other", "bbb");
  expect(take(state, "key")).toBe("aaa");
  expect(take(state, "key")).toBeUndefined();
  expect(tokens(state).find(({ id }) => id === "aaa")?.taker).toBe(process.pid);
  withdraw(state, "aaa");
  expect(tokens(state).map(({ id, taker }) => ({ id, taker }))).toEqual([{ id: "bbb", taker: undefined }]);
});
