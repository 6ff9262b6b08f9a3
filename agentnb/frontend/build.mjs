// One readable ES module per widget, written to agentnb/static/. The same source gives the same bytes: the version of esbuild is exact.
import { build } from "esbuild";

await build({
  entryPoints: ["src/transcript.ts", "src/calltree.ts", "src/upload.ts", "src/replay.ts", "src/rater.ts", "src/approvals.ts"],
  outdir: "../static",
  bundle: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  minify: false,
  logLevel: "info",
});
