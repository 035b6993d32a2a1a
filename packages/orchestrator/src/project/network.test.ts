import {
  type ConfigSource,
  defaultNetworkSettings,
  loopSettings,
  type NetworkPolicy,
  type Project,
} from "@opentiger/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TemporaryDatabase, temporaryDatabase } from "../fixture/temporary-database.ts";
import { SystemConfig, type SystemConfigOptions } from "../state/config/system-config.ts";
import type { Database } from "../state/database.ts";
import { askedBeyond, phaseNetwork } from "./network.ts";

const key = "OPENTIGER_NETWORK_POLICY";

let instance: TemporaryDatabase;
let database: Database;

beforeAll(async () => {
  instance = await temporaryDatabase();
  database = await instance.open();
});

afterAll(() => instance.remove());

/** What a run may reach where the project says `open` in this way, and the user `deny` in that. */
async function policyOf(
  said: "file" | "flag",
  options: SystemConfigOptions,
  network?: NetworkPolicy,
): Promise<NetworkPolicy> {
  const config = await SystemConfig.open(database, { env: {}, ...options });
  const phase = { policy: "open" as const, allow: [] };
  const project: Pick<Project, "network" | "sources"> = {
    network: { setup: phase, run: phase, verify: phase },
    sources: { network: said },
  };
  try {
    const loop = { settings: loopSettings.parse({ network }) };
    return phaseNetwork({ config }, loop, project, "run").policy;
  } finally {
    config.close();
  }
}

it.each<[ConfigSource, SystemConfigOptions]>([
  ["flag", { flags: { [key]: "deny" } }],
  ["environment", { env: { [key]: "deny" } }],
])("a policy that is pinned (%s) holds against the repository's file", async (_source, options) => {
  expect(await policyOf("file", options)).toBe("deny");
});

it("a policy that was said for this loop holds against one that is pinned", async () => {
  expect(await policyOf("flag", { env: { [key]: "deny" } })).toBe("open");
  expect(await policyOf("file", { env: { [key]: "deny" } }, "balanced")).toBe("balanced");
});

/** What a file would ask for that means its user harm, beside what any project may ask for. */
const hostile = {
  policy: "open" as const,
  allow: ["localhost:2375", "127.0.0.1:2376", "10.0.0.5", "169.254.169.254", "intranet.example:443"],
};
const env = { DATABASE_URL: "postgres://localhost/app", CACHE: "redis://127.0.0.1:6379", MODE: "test" };

async function networkOf(
  stored: NetworkPolicy | null,
  settings: object,
  asked: { phase?: Project["network"]["run"]; sources?: Project["sources"] } = {},
) {
  const config = await SystemConfig.open(database, { env: {} });
  await config.patch({ [key]: stored }, "test");
  const phase = asked.phase ?? hostile;
  const project = {
    network: { setup: phase, run: phase, verify: phase },
    env,
    sources: asked.sources ?? ({ network: "file", env: "file" } as const),
  };
  const loop = { settings: loopSettings.parse(settings) };
  try {
    return {
      network: phaseNetwork({ config }, loop, project, "run"),
      beyond: askedBeyond({ config }, loop, project, "run"),
    };
  } finally {
    config.close();
  }
}

it.each([[{}], [{ projectNetwork: "withhold" }]])(
  "a repository's file opens no port of this machine, no private address and not everything (%j)",
  async (settings) => {
    const { network, beyond } = await networkOf(null, settings);
    expect(network).toEqual({
      ...defaultNetworkSettings,
      policy: "allow",
      allowHosts: ["public:intranet.example:443"],
      // What its variables would open.
      blockHosts: ["localhost:5432", "localhost:6379"],
    });
    expect(beyond).toEqual([
      "the policy open",
      "localhost:2375",
      "127.0.0.1:2376",
      "10.0.0.5",
      "169.254.169.254",
      "localhost:5432 (by DATABASE_URL)",
      "localhost:6379 (by CACHE)",
    ]);
  },
);

it("all that a repository's file asks for is given by the user's word", async () => {
  const { network } = await networkOf("deny", { projectNetwork: "give" });
  expect(network).toEqual({ ...defaultNetworkSettings, policy: "open", allowHosts: hostile.allow });
});

it("what the user's own settings of the loop say needs no other word", async () => {
  const { network, beyond } = await networkOf(null, {}, { sources: { network: "flag", env: "flag" } });
  expect(network).toMatchObject({ policy: "open", allowHosts: hostile.allow, blockHosts: [] });
  expect(beyond).toEqual([]);
});

it("a port of this machine that the user opened is not closed by a variable that leads to it", async () => {
  const phase = { policy: null, allow: ["localhost:5432"] };
  const { network, beyond } = await networkOf(null, {}, { phase, sources: { network: "flag", env: "file" } });
  expect(network).toMatchObject({ allowHosts: ["localhost:5432"], blockHosts: ["localhost:6379"] });
  expect(beyond).toEqual(["localhost:6379 (by CACHE)"]);
});

it.each<[NetworkPolicy | null, NetworkPolicy, NetworkPolicy]>([
  [null, "deny", "deny"],
  [null, "balanced", "balanced"],
  [null, "open", "allow"],
  ["open", "allow", "allow"],
  ["balanced", "allow", "balanced"],
  ["deny", "balanced", "deny"],
])(
  "under a stored %s a file that says %s has %s: it narrows, and does not widen",
  async (stored, said, has) => {
    const { network, beyond } = await networkOf(stored, {}, { phase: { policy: said, allow: [] } });
    expect(network.policy).toBe(has);
    expect(beyond.includes(`the policy ${said}`)).toBe(said !== has);
  },
);

it.each<[NetworkPolicy, string, string[]]>([
  ["allow", "*.example.com", ["*.example.com"]],
  ["balanced", "packages.example.com", ["public:packages.example.com"]],
  ["balanced", "*", []],
  ["balanced", "*.com", []],
  ["deny", "packages.example.com", []],
])("under %s a file that names %s has %j", async (stored, host, has) => {
  const { network, beyond } = await networkOf(stored, {}, { phase: { policy: null, allow: [host] } });
  expect(network.allowHosts).toEqual(has);
  expect(beyond.includes(host)).toBe(has.length === 0);
});
