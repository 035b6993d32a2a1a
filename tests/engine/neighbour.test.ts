import { existsSync, readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stopPrivateEngine } from "../../scripts/engine/engine.mjs";
import { answersPing } from "../../scripts/engine/found.mjs";
import { enginePaths } from "../../scripts/engine/paths.mjs";
import { processesWith, until } from "../../scripts/engine/processes.mjs";
import { inCheckout } from "../../scripts/setup/checkout.mjs";
import { type StockEngine, startStockEngine } from "./stock-engine.ts";
import { importTinyImage } from "./tiny-image.ts";

const paths = enginePaths(inCheckout(".cache", "engine-tests", "neighbour"));
let stock: StockEngine;

beforeAll(async () => {
  await stopPrivateEngine({ folder: paths.root });
  stock = await startStockEngine(`opentiger-stock-${paths.name}`);
  importTinyImage(stock.dockerHost, "tiny");
  stock.docker(..."run -d --name witness --stop-timeout 1 -p 8080:80 tiny /bin/sleep 600".split(" "));
  const bridge = () => stock.inItsNetwork("ip", "-o", "link", "show", "docker0");
  if (!(await until(() => bridge().includes("state UP"), 10_000)))
    throw new Error("docker0 does not come up");
});

afterAll(async () => {
  await inStockNetwork("stopPrivateEngine");
  await stock.stop();
  rmSync(paths.root, { recursive: true });
});

describe("a private engine beside the engine a user already has", () => {
  test("leaves its links, firewall rules and containers alone while it comes, stays and goes", async () => {
    const before = neighbourState();
    expect(before.links).toContain("docker0");
    expect(before.rules).toContain("--dport 8080 -j DNAT");
    expect(before.containers).toContain("witness running");

    await inStockNetwork("startPrivateEngine");
    expect(await answersPing(paths.dockerHost)).toBe(true);
    expect(stock.inItsNetwork("ip", "-o", "link")).toContain(paths.name);
    const during = neighbourState();
    await inStockNetwork("stopPrivateEngine");

    expect(during).toEqual(before);
    expect(neighbourState()).toEqual(before);
  });

  test("is gone after its stop: no process, bridge, rule, mount or socket", async () => {
    await inStockNetwork("startPrivateEngine");
    await inStockNetwork("stopPrivateEngine");
    expect(linksAndRules().join("\n")).not.toContain(paths.name);
    expect(processesWith("dockerd", paths.config)).toEqual([]);
    expect(processesWith("containerd", paths.containerdConfig)).toEqual([]);
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(paths.root);
    expect(existsSync(paths.run)).toBe(false);
  });
});

/** What of the neighbour we could spoil, without the bridge, chains and jumps that carry the private engine's name. */
function neighbourState() {
  const [links, rules] = linksAndRules().map((text) =>
    text
      .split("\n")
      .filter((line) => !line.includes(paths.name))
      .join("\n"),
  );
  const containers = stock.docker("ps", "-a", "--no-trunc", "--format", "{{.ID}} {{.Names}} {{.State}}");
  return { links, rules, containers };
}

function linksAndRules(): string[] {
  const rules = ["filter", "nat"].map((table) => stock.inItsNetwork("iptables", "-t", table, "-S"));
  return [stock.inItsNetwork("ip", "-o", "link"), rules.join("\n")];
}

async function inStockNetwork(call: "startPrivateEngine" | "stopPrivateEngine"): Promise<void> {
  const module = new URL("../../scripts/engine/engine.mjs", import.meta.url);
  const code = `const engine = await import("${module}"); await engine.${call}({ folder: process.argv[1] });`;
  stock.inItsNetwork(process.execPath, "--input-type=module", "-e", code, paths.root);
}
