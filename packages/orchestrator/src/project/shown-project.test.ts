import { loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TemporaryDatabase, temporaryDatabase } from "../fixture/temporary-database.ts";
import { SystemConfig } from "../state/config/system-config.ts";
import { shownProject } from "./shown-project.ts";

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

const phase = { policy: "deny" as const, allow: [] };
const project = {
  image: null,
  env: { DATABASE_URL: "postgres://localhost:5432/app" },
  network: { setup: phase, run: phase, verify: phase },
  sources: { network: "file", env: "file" } as const,
};
const loop = { settings: loopSettings.parse({ projectNetwork: "withhold" }) };

it("in sandboxes it is shown what each phase reaches, and what is withheld", () => {
  const { shown, network } = shownProject({ config }, loop, project, "sandbox");
  expect(network?.run.policy).toBe("deny");
  expect(shown).toEqual([
    "variables: DATABASE_URL",
    "network of setup: deny, without localhost:5432",
    "network of run: deny, without localhost:5432",
    "network of verify: deny, without localhost:5432",
    expect.stringContaining("withheld: localhost:5432 (by DATABASE_URL)"),
  ]);
});

it("on the host no limit is shown, as there is none", () => {
  const { shown, network, beyond } = shownProject({ config }, loop, project, "host");
  expect({ network, beyond }).toEqual({ network: null, beyond: [] });
  expect(shown).toEqual([
    "variables: DATABASE_URL",
    "network: all that you reach; on the host nothing is withheld",
  ]);
});
