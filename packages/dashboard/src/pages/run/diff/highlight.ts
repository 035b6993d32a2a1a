import type { LanguageFn } from "highlight.js";
import hljs from "highlight.js/lib/core";

export interface Piece {
  text: string;
  /** As highlight.js calls it; empty: nothing of its own. */
  scope: string;
}

type Load = () => Promise<{ default: LanguageFn }>;

/** Each is loaded when a file of it is shown. */
const languages: Readonly<Record<string, readonly [string, Load]>> = {
  ts: ["typescript", () => import("highlight.js/lib/languages/typescript")],
  tsx: ["typescript", () => import("highlight.js/lib/languages/typescript")],
  mts: ["typescript", () => import("highlight.js/lib/languages/typescript")],
  js: ["javascript", () => import("highlight.js/lib/languages/javascript")],
  jsx: ["javascript", () => import("highlight.js/lib/languages/javascript")],
  mjs: ["javascript", () => import("highlight.js/lib/languages/javascript")],
  cjs: ["javascript", () => import("highlight.js/lib/languages/javascript")],
  json: ["json", () => import("highlight.js/lib/languages/json")],
  py: ["python", () => import("highlight.js/lib/languages/python")],
  go: ["go", () => import("highlight.js/lib/languages/go")],
  rs: ["rust", () => import("highlight.js/lib/languages/rust")],
  rb: ["ruby", () => import("highlight.js/lib/languages/ruby")],
  java: ["java", () => import("highlight.js/lib/languages/java")],
  c: ["c", () => import("highlight.js/lib/languages/c")],
  h: ["c", () => import("highlight.js/lib/languages/c")],
  cpp: ["cpp", () => import("highlight.js/lib/languages/cpp")],
  css: ["css", () => import("highlight.js/lib/languages/css")],
  html: ["xml", () => import("highlight.js/lib/languages/xml")],
  xml: ["xml", () => import("highlight.js/lib/languages/xml")],
  md: ["markdown", () => import("highlight.js/lib/languages/markdown")],
  sh: ["bash", () => import("highlight.js/lib/languages/bash")],
  yml: ["yaml", () => import("highlight.js/lib/languages/yaml")],
  yaml: ["yaml", () => import("highlight.js/lib/languages/yaml")],
  sql: ["sql", () => import("highlight.js/lib/languages/sql")],
};

/** The language of a file, ready to be used; undefined: none that is known here. */
export async function languageOf(path: string): Promise<string | undefined> {
  const known = languages[path.split(".").at(-1)?.toLowerCase() ?? ""];
  if (!known) return undefined;
  const [name, load] = known;
  if (!hljs.getLanguage(name)) hljs.registerLanguage(name, (await load()).default);
  return name;
}

/** A line in pieces. What highlight.js writes is HTML, of which only the names of scopes are taken over. */
export function highlighted(text: string, language: string): Piece[] {
  const written = hljs.highlight(text, { language, ignoreIllegals: true }).value;
  const scopes: string[] = [];
  const pieces: Piece[] = [];
  for (const [whole, scope] of written.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (scope !== undefined) scopes.push(scope.split(" ")[0] ?? "");
    else if (whole === "</span>") scopes.pop();
    else pieces.push({ text: decoded(whole), scope: scopes.at(-1) ?? "" });
  }
  return pieces;
}

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
  "&amp;": "&",
};

function decoded(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|#x27|amp);/g, (entity) => entities[entity] ?? entity);
}
