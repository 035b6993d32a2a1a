import { readFileSync } from "node:fs";

/**
 * What the packages that we bundle would do at every start and nobody needs then: of the time until a command of ours says
 * its first word this is a good part. @type {import("esbuild").Plugin}
 */
export const LEAN_PACKAGES = {
  name: "lean-packages",
  setup(build) {
    leaveOutUnused(build);
    loadWhenUsed(build);
    changeFiles(build);
  },
};

/**
 * Packages that dockerode loads and we never use: its ssh (ours is the user's own `ssh`) and its BuildKit sessions. They
 * would be half of each bundle. @param {import("esbuild").PluginBuild} build
 */
function leaveOutUnused({ onResolve, onLoad }) {
  onResolve({ filter: /^(ssh2|@grpc\/(grpc-js|proto-loader)|protobufjs)$/ }, ({ path }) => ({
    path,
    namespace: "unused",
  }));
  onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "module.exports = {};" }));
}

/**
 * What we take from packages that only some commands need. Each stands for the real thing, which is loaded with the first call;
 * a name that is missing here does not build.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const USED_LATE = {
  dockerode: ["default"],
  yaml: ["LineCounter", "isCollection", "isNode", "parse", "parseDocument"],
};

/** @param {import("esbuild").PluginBuild} build */
function loadWhenUsed({ onResolve, onLoad }) {
  onResolve({ filter: /^(dockerode|yaml)$/ }, ({ path, kind, resolveDir }) =>
    kind === "import-statement" ? { path, namespace: "late", pluginData: { resolveDir } } : undefined,
  );
  onLoad({ filter: /.*/, namespace: "late" }, ({ path, pluginData }) => {
    const lines = (USED_LATE[path] ?? []).map((name) => {
      const real = `require(${JSON.stringify(path)})${name === "default" ? "" : `.${name}`}`;
      return `${name === "default" ? "export default" : `export const ${name} =`} /* @__PURE__ */ late(() => ${real});`;
    });
    return { contents: `${LATE}\n${lines.join("\n")}`, resolveDir: pluginData.resolveDir };
  });
}

/** A function or class that is found when it is called. */
const LATE = `const late = (real) => new Proxy(function () {}, {
  apply: (_, self, args) => Reflect.apply(real(), self, args),
  construct: (_, args) => Reflect.construct(real(), args),
});`;

/**
 * pg looks for Cloudflare by making a Response, for which Node 20 loads all that `fetch` needs. zod has its messages in fifty
 * languages, and ours are English. A file that no longer has what is replaced does not build.
 *
 * @type {readonly {file: RegExp, old: string | RegExp, now: string}[]}
 */
const CHANGED = [
  { file: /[/]pg[/]lib[/]stream\.js$/, old: "if (isCloudflareRuntime())", now: "if (false)" },
  {
    file: /[/]zod[/]v4[/]locales[/]index\.js$/,
    old: /^export \{.*/s,
    now: 'export { default as en } from "./en.js";',
  },
];

/** @param {import("esbuild").PluginBuild} build */
function changeFiles({ onLoad }) {
  for (const { file, old, now } of CHANGED) {
    onLoad({ filter: file }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const contents = text.replace(old, () => now);
      return contents === text ? { errors: [{ text: `${path} has no ${old}` }] } : { contents };
    });
  }
}
