import { beforeAll, describe, expect, test } from "vitest";
import { networkSettings } from "../../packages/schema/src/network.ts";
import { attack } from "../setup/attack.ts";
import { curl } from "../setup/curl.ts";
import { type Place, placeOf } from "../setup/place.ts";
import { plainContainer } from "../setup/plain-container.ts";
import { newSandbox } from "../setup/sandbox.ts";
import { type OnlineInstance, onlineInstance } from "../setup/sandboxd.ts";
import {
  addresses,
  canHaveSmallInternet,
  type SmallInternet,
  smallInternet,
} from "../setup/small-internet.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const hosts = ["public.test", "other.test", "github.com", "evilgithub.com", "rebind.test", "inner.test"];

describe.skipIf(!canHaveSmallInternet)("a command in a sandbox with a network policy", () => {
  let internet: SmallInternet;
  let instance: OnlineInstance;
  let plain: Place;
  let allowing: Place;
  let denying: Place;

  beforeAll(async () => {
    internet = await smallInternet(hosts);
    internet.name("inner.test", [addresses.private]);
    internet.name("rebind.test", [addresses.public], [addresses.metadata]);
    instance = await onlineInstance(internet);
    const flags = ["--network", internet.network, "--dns", addresses.names];
    plain = await plainContainer(temporaryWorkspace(), { flags });
    allowing = placeOf(await newSandbox(instance, temporaryWorkspace(), { name: "allowing" }));
    denying = placeOf(
      await newSandbox(instance, temporaryWorkspace(), {
        name: "denying",
        network: { policy: "deny", allowHosts: ["github.com"] },
      }),
    );
  });

  test("B11 what is allowed is reached, by proxy and by name, over HTTP and HTTPS", async () => {
    for (const words of [["http://github.com/"], ["https://github.com/"]]) {
      for (const way of [[], ["--noproxy", "*"]]) {
        const fetched = await curl(denying, ...way, ...words);
        expect(fetched).toEqual({ status: 200, body: `reached ${addresses.public}` });
      }
    }
  });

  test("B11 what is not is a 403 that names host, rule and the command that allows it", async () => {
    const { status, body } = await curl(denying, "http://public.test/");
    expect(status).toBe(403);
    for (const words of ["public.test", "policy deny", "network proxy denying --allow-host public.test:80"]) {
      expect(body).toContain(words);
    }
    expect((await curl(denying, "--noproxy", "*", "http://public.test/")).status).toBe(403);
    expect((await curl(denying, "--noproxy", "*", "https://public.test/")).status).toBe(0);
  });

  describe("13 14 18 goes around the proxy", () => {
    const goal = JSON.stringify({ ...addresses, name: "c2VjcmV0.leak.test" });

    test("a plain container sends to addresses, asks any resolver, and uses UDP, ICMP and IPv6", async () => {
      const { quic: _, ...report } = await attack<Record<string, string>>(plain, "network.py", goal);
      for (const [way, outcome] of Object.entries(report)) {
        expect(`${way} ${outcome}`).toMatch(/answered \d+ bytes/);
      }
      expect(internet.seen.some(({ kind, name }) => kind === "dns" && name === "c2vjcmv0.leak.test")).toBe(
        true,
      );
    });

    test.each(["allowing", "denying"])("and gets nowhere: %s", async (which) => {
      const before = internet.seen.length;
      const report = await attack<Record<string, string>>(
        which === "allowing" ? allowing : denying,
        "network.py",
        goal,
      );
      for (const outcome of Object.values(report)) expect(outcome).toMatch(/^error/);
      expect(internet.seen.slice(before)).toEqual([]);
    });

    test("no name that is asked for inside reaches a resolver, unless it is allowed", async () => {
      const before = internet.seen.length;
      const { stdout } = await denying.run(["getent", "hosts", "c2VjcmV0.leak.test"]);
      expect(stdout).toMatch(/^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./);
      await curl(denying, "http://c2VjcmV0.leak.test/");
      expect(internet.seen.slice(before)).toEqual([]);
    });
  });

  describe("15 hides another host behind an allowed one", () => {
    test("a plain container has nothing that would stop it", async () => {
      expect(
        (await curl(plain, "--resolve", `other.test:443:${addresses.public}`, "https://other.test/")).status,
      ).toBe(200);
    });

    test("in ours the name of the TLS hello must be the one that was allowed, and there must be one", async () => {
      const before = internet.seen.length;
      const reports = await attack<{ status: string; through: string | null }[]>(
        denying,
        "tunnel.py",
        JSON.stringify([
          { target: "github.com:443", name: "github.com" },
          { target: "github.com:443", name: "other.test" },
          { target: "github.com:443" },
          { target: "github.com:443", raw: "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n" },
          { target: "github.com:443", raw: "SSH-2.0-smuggler\r\n" },
          { target: `${addresses.public}:443`, name: "github.com" },
        ]),
      );
      const [honest] = reports;
      expect(honest?.through).toMatch(/^answered [1-9]/);
      const tunnelled = internet.seen.slice(before).filter(({ kind }) => !kind.startsWith("dns"));
      expect(tunnelled.map(({ sni }) => sni)).toEqual(["github.com"]);
    });

    test("a Host header that is not the host that was asked for is refused", async () => {
      const { status } = await curl(denying, "--header", "Host: other.test", "http://github.com/");
      expect(status).toBeGreaterThanOrEqual(400);
      expect(
        (await curl(denying, "--noproxy", "*", "--header", "Host: other.test", "http://github.com/")).status,
      ).toBe(403);
    });
  });

  describe("16 spells a host in another way", () => {
    const odd = [
      "evilgithub.com:443",
      "github.com.evilgithub.com:443",
      "github.com\0.evilgithub.com:443",
      "github.com%00.other.test:443",
      "github.com@other.test:443",
      "[::ffff:203.0.113.10]:443",
      "3405803786:443",
      "0313.0.0161.012:443",
      "0xcb.0.0x71.0xa:443",
      "203.0.28938:443",
      "xn--gthub-n4a.com:443",
      "gíthub.com:443",
    ];

    test("numbers in other bases are addresses for a plain container", async () => {
      for (const host of ["3405803786", "0313.0.0161.012", "0xcb.0.0x71.0xa"]) {
        expect((await curl(plain, `http://${host}/`)).status).toBe(200);
      }
    });

    test("in ours none of them is taken for the allowed one", async () => {
      const before = internet.seen.length;
      const lines = odd.map((target) => ({ target, name: "github.com" }));
      const reports = await attack<{ status: string }[]>(denying, "tunnel.py", JSON.stringify(lines));
      for (const [index, { status }] of reports.entries()) {
        expect(`${odd[index]}: ${status}`).not.toMatch(/ 200 /);
      }
      expect(internet.seen.slice(before)).toEqual([]);
    });

    test("upper case and a final dot are the same host", async () => {
      for (const host of ["GitHub.com", "github.com."]) {
        expect(await curl(denying, `http://${host}/`)).toMatchObject({ status: 200 });
      }
    });
  });

  describe("17 is led to an address that is not public", () => {
    const inner = [`http://${addresses.metadata}/`, `http://${addresses.private}/`, "http://inner.test/"];

    test("a plain container goes there, also by a redirect", async () => {
      for (const url of inner)
        expect({ url, ...(await curl(plain, url)) }).toMatchObject({ url, status: 200 });
      const redirect = `http://public.test/?redirect=http://${addresses.metadata}/`;
      expect((await curl(plain, "--location", redirect)).body).toBe(`reached ${addresses.metadata}`);
    });

    test("ours does not, whatever leads there", async () => {
      for (const url of [...inner, "http://127.0.0.1:9/", "http://198.51.100.2/", "http://[::1]:9/"]) {
        expect((await curl(allowing, "--noproxy", "", url)).status).toBe(403);
      }
      const redirect = `http://public.test/?redirect=http://${addresses.metadata}/`;
      expect((await curl(allowing, "--location", redirect)).status).toBe(403);
    });

    test("a name that changes between check and connect is connected to what was checked", async () => {
      const reached: string[] = [];
      for (let attempt = 0; attempt < 4; attempt++)
        reached.push((await curl(allowing, "http://rebind.test/")).body);
      expect(reached[0]).toBe(`reached ${addresses.public}`);
      expect(reached.join()).not.toContain(addresses.metadata);
    });
  });

  describe("19 reaches for the machine that it runs on, and for other sandboxes", () => {
    test("what listens on the machine's loopback, and on its own address, is out of reach until it is declared", async () => {
      const serve = `require("node:http").createServer((q, r) => r.end("the machine")).listen(7777, "0.0.0.0", () => console.log("up"))`;
      const service = internet.machine([process.execPath, "-e", serve]);
      await new Promise((resolve) => service.stdout?.once("data", resolve));
      for (const url of [
        "http://host.docker.internal:7777/",
        "http://localhost:7777/",
        "http://127.0.0.1:7777/",
        "http://198.51.100.2:7777/",
      ]) {
        for (const way of [[], ["--noproxy", ""], ["--noproxy", "*"]]) {
          expect((await curl(allowing, ...way, url)).body).not.toContain("the machine");
        }
      }
      await instance.sandboxd.ask(
        { method: "POST", path: "/sandboxes/allowing/host-ports", body: { ports: [7777] } },
        networkSettings,
      );
      expect((await curl(allowing, "http://host.docker.internal:7777/")).body).toBe("the machine");
      expect((await curl(denying, "http://host.docker.internal:7777/")).status).not.toBe(200);
    });
  });

  test("20 an empty list under deny is nothing, not everything", async () => {
    const empty = placeOf(
      await newSandbox(instance, temporaryWorkspace(), { name: "empty", network: { policy: "deny" } }),
    );
    expect((await curl(empty, "http://github.com/")).status).toBe(403);
    expect((await curl(empty, "--noproxy", "*", "https://github.com/")).status).toBe(0);
  });

  test("21 without sandboxd there is no network, and with the next one it is back", async () => {
    const before = internet.seen.length;
    await instance.killSandboxd();
    expect((await curl(allowing, "http://public.test/")).status).toBe(503);
    expect((await curl(allowing, "--noproxy", "*", "http://public.test/")).status).toBe(0);
    expect(internet.seen.slice(before)).toEqual([]);
    await instance.startSandboxd();
    await until(
      "the network is back",
      async () => (await curl(allowing, "http://public.test/")).status === 200,
    );
  });
});
