import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { curl } from "../setup/curl.ts";
import { type Place, placeOf } from "../setup/place.ts";
import { newSandbox } from "../setup/sandbox.ts";
import { onlineInstance } from "../setup/sandboxd.ts";
import { addresses, canHaveSmallInternet, smallInternet } from "../setup/small-internet.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const script = fileURLToPath(new URL("../setup/corporate-proxy.mjs", import.meta.url));

describe.skipIf(!canHaveSmallInternet)("on a machine whose own way out is a proxy", () => {
  const said: string[] = [];
  let place: Place;

  beforeAll(async () => {
    const internet = await smallInternet(["public.test", "direct.test", "secret.test"]);
    const proxy = internet.machine([process.execPath, script, "me:a word", addresses.public]);
    if (!proxy.stdout) throw new Error("the proxy has no stdout");
    createInterface(proxy.stdout).on("line", (line) => said.push(line));
    await until("the proxy listens", () => said.length > 0);
    const url = `http://me:a%20word@127.0.0.1:${said[0]}`;
    const settings = { HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: "direct.test" };
    const instance = await onlineInstance(internet, settings);
    const network = { blockHosts: ["secret.test"] };
    place = placeOf(await newSandbox(instance, temporaryWorkspace(), { network }));
  });

  test("tunnels and plain requests go through it, with its word, which the sandbox does not have", async () => {
    expect(await curl(place, "https://public.test/")).toMatchObject({ status: 200 });
    expect(await curl(place, "http://public.test:8080/")).toMatchObject({ status: 200 });
    expect(said).toContain("CONNECT public.test:443 taken");
    expect(said.join("\n")).toMatch(/^GET http:\/\/public\.test:8080\/ taken$/m);
    const { stdout } = await place.run(["sh", "-c", "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'"]);
    expect(stdout).not.toContain("a%20word");
  });

  test("what NO_PROXY names goes past it", async () => {
    const before = said.length;
    expect(await curl(place, "https://direct.test/")).toMatchObject({ status: 200 });
    expect(said.slice(before)).toEqual([]);
  });

  test("what the policy denies does not reach it", async () => {
    const before = said.length;
    expect((await curl(place, "http://secret.test/")).status).toBe(403);
    expect(said.slice(before)).toEqual([]);
  });
});
