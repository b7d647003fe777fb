import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The built files are embedded in the binary, so a build must give the same bytes
// everywhere: names come from content alone, and nothing is inlined that the
// content security policy would refuse.
export default defineConfig({
  base: "./",
  plugins: [svelte({ compilerOptions: { css: "external" } })],
  build: {
    outDir: "dist",
    target: "es2023",
    assetsInlineLimit: 0,
    license: { fileName: "licenses.txt" }, // of what is built in
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { "/v1": "http://127.0.0.1:7077", "/readyz": "http://127.0.0.1:7077" } },
});
