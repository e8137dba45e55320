import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The pages are served below this path, whichever server they come from.
export default defineConfig({
  base: "/workbench/",
  plugins: [react()],
  build: { outDir: "build", target: "es2022", modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1200 },
});
