import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createMiddleware } from "hono/factory";
import { loginPage, loginScript } from "./login-page.ts";

const files = /^\/(?:login(?:\.js)?|favicon\.(?:ico|svg)|assets\/[A-Za-z0-9_][A-Za-z0-9._-]*)$/;

/** Ours, and nothing of anybody else's; styles may stand in the page, scripts may not. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".ico": "image/x-icon",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
};

/**
 * Whether a page or a file of one is asked for, and not data. Pages of the dashboard have the paths of what they show;
 * a browser that opens one says first of all that it wants HTML, which no other client does.
 */
export function isPage(method: string, path: string, { accept = "" }: IncomingHttpHeaders): boolean {
  if (method !== "GET") return false;
  return files.test(path) || accept.split(",")[0]?.trim().toLowerCase() === "text/html";
}

/** Those in which the build leaves files beside the plain ones, the smallest first. */
export const usualEncodings = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;

interface PagesOptions {
  folder?: string | undefined;
  /** In which files may be given out. */
  encodings: readonly (typeof usualEncodings)[number][];
}

/** The dashboard, where it was built, and the page that logs a browser in. */
export function pages({ folder = dashboardFolder(), encodings }: PagesOptions) {
  return createMiddleware(async (c, next) => {
    const { path, method } = c.req;
    if (!isPage(method, path, { accept: c.req.header("accept") })) return next();
    if (path === "/login") return page(loginPage, ".html");
    if (path === "/login.js") return page(loginScript, ".js");
    if (folder === undefined) return page(withoutDashboard, ".html");
    const isFile = files.test(path);
    const file = isFile ? path.slice(1) : "index.html";
    const found = await readSmallest(join(folder, file), encodings, c.req.header("accept-encoding"));
    if (found === undefined) return next();
    // Names of assets have a hash of what is in them.
    const cache = isFile ? "public, max-age=31536000, immutable" : "no-cache";
    const answer = page(found.content, extname(file), cache);
    if (found.encoding !== undefined) answer.headers.set("content-encoding", found.encoding);
    return answer;
  });
}

const withoutDashboard = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>openTiger</title>
<p>The server runs. The dashboard was not built; the API is described at <a href="/openapi.json">/openapi.json</a>.</p>
</html>
`;

function page(content: string | Buffer, kind: string, cache = "no-store"): Response {
  return new Response(typeof content === "string" ? content : new Uint8Array(content), {
    headers: {
      "content-type": types[kind] ?? "application/octet-stream",
      "content-security-policy": pagePolicy,
      "cache-control": cache,
      // The same address has data for whoever does not ask for HTML first.
      vary: "accept, accept-encoding",
    },
  });
}

async function readSmallest(
  file: string,
  encodings: PagesOptions["encodings"],
  accepted = "",
): Promise<{ content: Buffer; encoding?: string } | undefined> {
  const words = accepted.split(",").map((word) => word.trim().toLowerCase());
  for (const { name, suffix } of encodings) {
    if (!words.includes(name)) continue;
    const content = await readFile(`${file}${suffix}`).catch(() => undefined);
    if (content) return { content, encoding: name };
  }
  const content = await readFile(file).catch(() => undefined);
  return content && { content };
}

/** Beside the bundled command line, or where the package builds it. */
function dashboardFolder(): string | undefined {
  const places = ["./dashboard", "../../../dashboard/dist", "../../dashboard/dist"];
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return found.find((folder) => existsSync(join(folder, "index.html")));
}
