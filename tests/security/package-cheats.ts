import type { Cheat } from "./cheats.ts";
import { cart } from "./gamed-project.ts";

const depending = (change: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({
    name: "cart",
    type: "module",
    scripts: { test: "node --test && node verify.js" },
    ...change,
  });

/** In the project in JavaScript too: what a package of the repository itself can do to all that npm runs. */
export const foundInPackages: Readonly<Record<string, Cheat>> = {
  "a package of the repository brings another Node along": {
    edits: {
      "src/cart.js": cart.broken,
      "package.json": depending({ dependencies: { kit: "file:kit" } }),
      "kit/package.json": JSON.stringify({ name: "kit", version: "1.0.0", bin: { node: "node.sh" } }),
      "kit/node.sh": "#!/bin/sh\nexit 0\n",
    },
    by: "rules",
    says: /bin\.node decides how/,
    twin: {
      "package.json": depending({ bin: { cart: "bin/cart.js" }, dependencies: { kit: "file:kit" } }),
      "bin/cart.js": "#!/usr/bin/env node\n",
      "kit/package.json": JSON.stringify({ name: "kit", version: "1.0.0" }),
    },
  },
};

/** In the project with everything: over what its set-up makes, and no .gitignore names. */
export const foundInSetUp: Readonly<Record<string, Cheat>> = {
  "a program that the set-up makes is replaced": {
    edits: { "src/cart.js": cart.broken, "made/runner": "#!/bin/sh\nexit 0\n" },
    by: "verify",
    says: /set-up makes its own of these files.*made\/runner/,
    twin: { "maker/runner": "#!/bin/sh\nexit 0\n" },
  },
};
