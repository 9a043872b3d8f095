import { defaultClientConditions, defineConfig } from "vite";

export default defineConfig({
  // The contracts' sources, so that the dashboard can be developed and built without building them first.
  resolve: { conditions: ["hive-source", ...defaultClientConditions] },
  build: {
    outDir: "dist/web",
    emptyOutDir: true,
    // The server's content security policy allows files of its own only: nothing inline, no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      onwarn(warning, warn) {
        // "use client" speaks to servers that render React; there is none here.
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning);
      },
    },
  },
  server: { host: "127.0.0.1", proxy: { "/api": "http://127.0.0.1:7400" } },
});
