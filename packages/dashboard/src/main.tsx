import "./theme/theme.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { failureOf } from "./api/failure.ts";
import { Live } from "./live/live.tsx";
import { router } from "./router.tsx";
import { applyScheme } from "./theme/scheme.ts";

applyScheme();

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Events say what is old; what nobody tells of is read again after this.
      staleTime: 30_000,
      // What the server refused, it refuses again; one that does not answer may be back in a moment.
      retry: (count, error) => failureOf(error).status === 0 && count < 3,
      // The browser thinks itself offline without a network, which a server on this machine does not need.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Live>
        <RouterProvider router={router} />
      </Live>
    </QueryClientProvider>
  </StrictMode>,
);
