import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where a server listens while the pages are being worked on. */
const server = "http://127.0.0.1:4301";

export default defineConfig({
  plugins: [react(), tailwindcss()],
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
