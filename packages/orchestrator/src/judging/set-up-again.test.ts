import { loopSettings, type NetworkPolicy } from "@opentiger/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TemporaryDatabase, temporaryDatabase } from "../fixture/temporary-database.ts";
import { SystemConfig } from "../state/config/system-config.ts";
import { setUpNotes } from "./set-up-again.ts";

let instance: TemporaryDatabase;
let config: SystemConfig;

beforeAll(async () => {
  instance = await temporaryDatabase();
  config = await SystemConfig.open(await instance.open(), { env: {} });
});

afterAll(async () => {
  config.close();
  await instance.remove();
});

it.each<[NetworkPolicy, NetworkPolicy, "sandbox" | "host", string[]]>([
  ["balanced", "deny", "sandbox", []],
  ["open", "open", "sandbox", []],
  ["open", "deny", "host", []],
  ["open", "deny", "sandbox", ["network of the checks (deny) and not with that of the set-up (open)"]],
  ["deny", "open", "sandbox", ["network of the checks (open) and not with that of the set-up (deny)"]],
])(
  "a set-up for %s before checks for %s in the %s: what it could not have is said",
  (setup, verify, environment, said) => {
    const phase = (policy: NetworkPolicy) => ({ policy, allow: [] });
    const network = { setup: phase(setup), run: phase("allow"), verify: phase(verify) };
    const project = { network, sources: { network: "file" as const } };
    const loop = { settings: loopSettings.parse({ projectNetwork: "give" }) };
    const notes = setUpNotes({ place: { config }, environment, loop, project });
    expect(notes).toEqual(said.map((words) => expect.stringContaining(words)));
  },
);
