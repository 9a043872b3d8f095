import "./no-eval.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

/** Events refresh what they touch; this catches what no event tells of, and a connection that died unnoticed. */
const REFETCH_MS = 30_000;

const client = new QueryClient({
  defaultOptions: {
    // "always": a hive on this machine answers also when the browser thinks it is offline.
    queries: { networkMode: "always", retry: 1, refetchInterval: REFETCH_MS, staleTime: REFETCH_MS },
  },
});

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
