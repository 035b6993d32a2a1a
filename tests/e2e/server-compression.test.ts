import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";

const key = "from-the-environment";
const instance = temporaryServer({ OPENTIGER_API_KEY: key });
let server: RunningServer;

beforeAll(async () => {
  server = await instance.start();
});

afterAll(() => instance.remove());

describe("beyond this machine", () => {
  let url: string;
  beforeAll(async () => {
    const { port } = await instance.start({ host: "0.0.0.0" });
    url = `http://127.0.0.1:${port}`;
  });

  const ask = (to: string, path: string, encodings: string, more: RequestInit = {}) =>
    fetch(`${to}${path}`, { ...more, headers: { "accept-encoding": encodings, "x-api-key": key } });

  test.each(["br", "gzip"])(
    "files of the dashboard are sent as %s, and on this machine as they are",
    async (encoding) => {
      const page = await fetch(url, { headers: { accept: "text/html" } });
      const [script = ""] = /\/assets\/[\w-]+\.js/.exec(await page.text()) ?? [];
      const far = await ask(url, script, `${encoding}, deflate`);
      expect(far.headers.get("content-encoding")).toBe(encoding);
      expect(far.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
      expect(far.headers.get("vary")).toContain("accept-encoding");
      const near = await ask(server.url, script, `${encoding}, deflate`);
      expect(near.headers.get("content-encoding")).toBeNull();
      expect(Number(far.headers.get("content-length"))).toBeLessThan(
        Number(near.headers.get("content-length")) / 2,
      );
      expect((await far.text()) === (await near.text()), "it is the same file").toBe(true);
      expect((await ask(url, script, "identity")).headers.get("content-encoding")).toBeNull();
    },
  );

  test("so are lists, and never a stream of events, which arrive when they happen", async () => {
    const far = await ask(url, "/config", "gzip");
    expect(far.headers.get("content-encoding")).toBe("gzip");
    const near = await ask(server.url, "/config", "gzip");
    expect(near.headers.get("content-encoding")).toBeNull();
    expect(await far.json()).toEqual(await near.json());
    const gone = new AbortController();
    const events = await ask(url, "/events", "gzip", { signal: gone.signal });
    expect(events.headers.get("content-encoding")).toBeNull();
    const first = await events.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toContain("event: hello");
    gone.abort();
  });
});
