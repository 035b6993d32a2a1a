import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { collect } from "../../packages/sandbox/src/session/collect.ts";
import { atEnd } from "../setup/at-end.ts";
import { curl } from "../setup/curl.ts";
import { slowly } from "../setup/model-answers.ts";
import { placeOf, type Said } from "../setup/place.ts";
import { newSandbox } from "../setup/sandbox.ts";
import { type OnlineInstance, onlineInstance } from "../setup/sandboxd.ts";
import { canHaveSmallInternet, type SmallInternet, smallInternet } from "../setup/small-internet.ts";
import { soak } from "../setup/soak.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

describe.skipIf(!canHaveSmallInternet)("kill -9 of sandboxd", () => {
  let internet: SmallInternet;
  let instance: OnlineInstance;

  beforeAll(async () => {
    internet = await smallInternet(["public.test", "api.anthropic.com"]);
    instance = await onlineInstance(internet, {
      ANTHROPIC_API_KEY: "canary-of-the-stream",
      HOME: temporaryWorkspace(),
    });
  });

  test("in the middle of a download: it ends with an error, nothing is reached meanwhile, the next one works", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    const place = placeOf(sandbox);
    // Slow enough to be in the middle, and too large for any buffer on the way.
    const slow = ["--limit-rate", "20M", "http://public.test/?bytes=400000000"];
    const download = place.run(["curl", "-sS", "-o", "/dev/null", "-w", "%{size_download}", ...slow]);
    await until("the download is under way", () => internet.seen.some(({ url }) => url?.includes("bytes=")));
    await instance.killSandboxd();
    const { code, stdout } = await download;
    expect(code).not.toBe(0);
    expect(Number(stdout)).toBeLessThan(400_000_000);
    const before = internet.seen.length;
    expect((await curl(place, "http://public.test/")).status).toBe(503);
    expect((await curl(place, "--noproxy", "*", "https://public.test/")).status).toBe(0);
    expect(internet.seen.slice(before)).toEqual([]);
    await instance.startSandboxd();
    expect((await curl(place, "http://public.test/")).status).toBe(200);
  });

  test("in the middle of a model's answer: it ends with an error, nothing leaks, the next request works", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace(), { name: "talker", agent: "claude" });
    const path = "/sandboxes/talker/credentials";
    await instance.sandboxd.ask({ method: "POST", path }, z.unknown());
    const place = placeOf(sandbox);
    const ask = (content: string): Promise<Said> => {
      const messages = [{ role: "user", content }];
      const body = JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 1000, stream: true, messages });
      const url = "http://127.0.0.1:3129/anthropic/v1/messages";
      return place.run([
        "curl",
        "-sS",
        "-N",
        "-m",
        "10",
        "-H",
        "content-type: application/json",
        "-d",
        body,
        url,
      ]);
    };
    const before = internet.seen.length;
    const answer = ask(slowly);
    await until("the model was asked", () =>
      internet.seen.slice(before).some(({ method }) => method === "POST"),
    );
    await instance.killSandboxd();
    const cut = await answer;
    expect(cut.code).not.toBe(0);
    expect(cut.stdout).not.toContain("message_stop");
    expect(cut.stdout + cut.stderr).not.toContain("canary");
    expect((await ask("hello")).code).not.toBe(0);
    await instance.startSandboxd();
    expect((await ask("hello")).stdout).toContain("message_stop");
  });

  test("in the middle of an exec: the exec does not notice, and not a byte of its output is lost", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    const count = "i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo $i; sleep 0.005; done";
    const counting = collect(await sandbox.exec(["sh", "-c", count]));
    await instance.killSandboxd();
    const { exit, stdout } = await counting;
    expect(exit).toMatchObject({ code: 0 });
    expect(stdout.toString().trim().split("\n").map(Number)).toEqual(
      Array.from({ length: 300 }, (_, index) => index + 1),
    );
    await instance.startSandboxd();
  });

  test("over and over while requests go on: rules hold, and at the end everything works", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace(), {
      network: { policy: "deny", allowHosts: ["public.test"] },
    });
    const place = placeOf(sandbox);
    const rounds = soak ? 50 : 5;
    for (let round = 0; round < rounds; round += 1) {
      const requests = ["public.test", "other.test"].map((host) => curl(place, `http://${host}/`));
      await instance.killSandboxd();
      const [allowed, denied] = await Promise.all(requests);
      expect([0, 200, 502, 503]).toContain(allowed?.status);
      expect([0, 403, 503]).toContain(denied?.status);
      await instance.startSandboxd();
      expect((await curl(place, "http://public.test/")).status).toBe(200);
      expect((await curl(place, "http://other.test/")).status).toBe(403);
    }
  });

  test("the command that comes next starts it again, and the sandbox has its network back", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace(), { name: "again" });
    const killed = (await instance.sandboxd.status())?.pid;
    await instance.killSandboxd();
    await sandbox.close();
    const opened = await instance.backend.open("again");
    const next = await instance.sandboxd.status();
    expect(next?.pid).not.toBe(killed);
    expect(next?.sandboxes).toContainEqual(expect.objectContaining({ name: "again", trouble: null }));
    // The next one runs on this machine and not on the test's: all that is asked for through it is a server of ours here.
    const server = createServer((_, response) => response.end("reached")).listen(0, "127.0.0.1");
    atEnd(() => server.close());
    await once(server, "listening");
    // A server that listens on a port has an address with one.
    const { port } = server.address() as AddressInfo;
    const path = "/sandboxes/again/host-ports";
    await instance.sandboxd.ask({ method: "POST", path, body: { ports: [port] } }, z.unknown());
    const fetched = await curl(placeOf(opened), `http://host.docker.internal:${port}/`);
    expect(fetched).toEqual({ status: 200, body: "reached" });
    await opened.close();
  });
});
