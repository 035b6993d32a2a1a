import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { soak } from "../../../../tests/setup/soak.ts";
import { doorVariables } from "../protocol/doors.ts";
import { rewriteLoopback } from "./rewrite.ts";

const one = (value: string) => {
  const { env, hostPorts } = rewriteLoopback({ X: value });
  return [env["X"], hostPorts];
};

describe("A14 a loopback URL in a variable", () => {
  it.each([
    [
      "postgres://u:p@localhost:5432/db?sslmode=disable",
      "postgres://u:p@host.docker.internal:5432/db?sslmode=disable",
      [5432],
    ],
    ["postgresql://localhost/db", "postgresql://host.docker.internal/db", [5432]],
    ["redis://127.0.0.1:6379/0", "redis://host.docker.internal:6379/0", [6379]],
    ["redis://:p%40ss@127.8.9.1", "redis://:p%40ss@host.docker.internal", [6379]],
    ["http://[::1]:8080/a?b=[::1]", "http://host.docker.internal:8080/a?b=[::1]", [8080]],
    ["http://[0:0:0:0:0:0:0:1]/", "http://host.docker.internal/", [80]],
    ["http://[::ffff:127.0.0.1]:1", "http://host.docker.internal:1", [1]],
    ["HTTPS://LocalHost", "HTTPS://host.docker.internal", [443]],
    ["mysql://root@localhost.:3307/x", "mysql://root@host.docker.internal:3307/x", [3307]],
    ["amqp://guest:guest@localhost/%2f", "amqp://guest:guest@host.docker.internal/%2f", [5672]],
    ["jdbc:postgresql://localhost/db", "jdbc:postgresql://host.docker.internal/db", [5432]],
    ["postgresql+psycopg://u@localhost/db", "postgresql+psycopg://u@host.docker.internal/db", [5432]],
    ["foo://localhost:99/", "foo://host.docker.internal:99/", [99]],
    ["http://a:b@c@localhost/", "http://a:b@c@host.docker.internal/", [80]],
    [
      "mongodb://u:p,w@localhost:27018,127.0.0.1,db.test:1/x?replicaSet=r",
      "mongodb://u:p,w@host.docker.internal:27018,host.docker.internal,db.test:1/x?replicaSet=r",
      [27_017, 27_018],
    ],
    [
      "http://localhost:1/a,https://127.0.0.1:2 redis://[::1]",
      "http://host.docker.internal:1/a,https://host.docker.internal:2 redis://host.docker.internal",
      [1, 2, 6379],
    ],
  ])("%s leads to the host", (value, expected, ports) => {
    expect(one(value)).toEqual([expected, ports]);
  });

  it.each([
    "",
    "localhost",
    "localhost:5432",
    "http://example.test/?next=http://localhost:3000/",
    "http://example.test/#http://localhost/",
    "http://localhost.example.test/",
    "http://notlocalhost/",
    "http://0.0.0.0:80/",
    "http://[::]:80/",
    "http://[::2]/",
    "http://128.0.0.1/",
    "http://127.0.0.1.example.test/",
    "http://localhost@example.test/",
    "http://localhost:70000/",
    "http://localhost:port/",
    "http://localhost\\@example.test/",
    "file://localhost/etc/hosts",
    "sqlite://localhost/x",
    "unknown://localhost/",
    "http:/localhost/",
    "see http://localhost:1/",
  ])("%j is none, and stays as it is", (value) => {
    expect(one(value)).toEqual([value, []]);
  });

  it("in what we set ourselves means the sandbox's own", () => {
    const own = {
      ...doorVariables(),
      ANTHROPIC_BASE_URL: "http://127.0.0.1:3129",
      ALL: "socks5h://127.0.0.1:1080",
    };
    expect(rewriteLoopback(own)).toEqual({ env: own, hostPorts: [] });
    expect(one("http://localhost:3128")).toEqual(["http://host.docker.internal:3128", [3128]]);
  });
});

const part = fc.stringMatching(/^[abz019._~%!$&'()*+;=:-]{0,12}$/);
const loopback = fc.constantFrom("localhost", "127.0.0.1", "127.255.1.3", "[::1]", "LOCALHOST");

describe("whatever the URL", () => {
  it("only the host is replaced, and only where it is this machine", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("http", "postgres", "redis", "jdbc:mysql"),
        fc.option(part, { nil: undefined }),
        fc.oneof(loopback, fc.domain()),
        fc.option(fc.integer({ min: 4000, max: 65_535 }), { nil: undefined }),
        fc.webPath(),
        fc.option(fc.webQueryParameters(), { nil: undefined }),
        (scheme, user, host, port, path, query) => {
          const head = `${scheme}://${user === undefined ? "" : `${user}@`}`;
          const tail = `${port === undefined ? "" : `:${port}`}${path}${query === undefined ? "" : `?${query}`}`;
          const isLocal = /^(localhost|127|\[)/i.test(host) && !/^localhost./i.test(host);
          const wanted = isLocal ? `${head}host.docker.internal${tail}` : `${head}${host}${tail}`;
          const [got, ports] = one(`${head}${host}${tail}`);
          expect(got).toBe(wanted);
          expect(ports).toHaveLength(isLocal ? 1 : 0);
        },
      ),
      { numRuns: soak ? 2000 : 150 },
    );
  });

  it("doing it twice changes nothing more, and no text makes it fail", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.webUrl()), (value) => {
        const once = rewriteLoopback({ X: value });
        expect(rewriteLoopback(once.env)).toEqual({ env: once.env, hostPorts: [] });
      }),
      { numRuns: soak ? 2000 : 150 },
    );
  });
});
