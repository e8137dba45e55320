import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The pages are served below this path, whichever server they come from.
export default defineConfig({
  base: "/workbench/",
  plugins: [react()],
  // Browsers that know light-dark(): what stands in for it in others takes no notice of the scheme that is chosen.
  build: { outDir: "build", license: { fileName: "licenses.txt" }, target: "es2022", cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"], modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1200 },
});
