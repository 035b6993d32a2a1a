import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Where a server listens while the pages are being worked on. */
const server = "http://127.0.0.1:4301";

export default defineConfig({
  plugins: [react(), tailwindcss(), compressed()],
  build: {
    // The first versions that know light-dark(), of which every colour is made.
    target: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0,
    // What it would put into the page is a script that the policy of the pages refuses.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
  server: {
    proxy: {
      "^/(?!src/|@|node_modules/|favicon)": {
        target: server,
        changeOrigin: true,
        ws: true,
        // A page and what it shows have the same path: who wants HTML gets the page.
        bypass: ({ headers }) => (headers.accept?.startsWith("text/html") ? "/index.html" : undefined),
      },
    },
  },
});

/** Less is a packet on the wire either way. */
const smallestBytes = 1_400;

/**
 * Leaves each file compressed beside it, for browsers on other machines. Quality 9 of brotli takes a twentieth of the time
 * of 11, and a twentieth more bytes.
 */
function compressed(): Plugin {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  return {
    name: "compressed",
    apply: "build",
    enforce: "post",
    // When all is written: until then others put names into the scripts.
    writeBundle({ dir = "" }, bundle) {
      for (const name of Object.keys(bundle)) {
        const file = join(dir, name);
        const source = readFileSync(file);
        if (!/\.(?:js|css|svg|html)$/.test(name) || source.length < smallestBytes) continue;
        writeFileSync(`${file}.br`, brotliCompressSync(source, brotli));
        writeFileSync(`${file}.gz`, gzipSync(source, { level: 9 }));
      }
    },
  };
}
