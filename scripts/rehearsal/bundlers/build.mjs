/** Builds two programs for Node with esbuild, webpack and vite, dependencies included. Prints only warnings and errors. */
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';
import webpack from 'webpack';

const entries = { hello: './hello.mjs', peer: './peer.mjs' };

await esbuild({
  entryPoints: entries,
  outdir: 'out/esbuild',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  // As docs/guides/transports-and-proxies.md says.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'warning',
});

await vite({
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: 'out/vite',
    rolldownOptions: { input: entries, output: { entryFileNames: '[name].mjs' } },
  },
});

const compiler = webpack({
  mode: 'production',
  target: 'node22',
  entry: entries,
  experiments: { outputModule: true },
  output: { path: `${import.meta.dirname}/out/webpack`, filename: '[name].mjs', module: true },
});
const stats = await new Promise((resolve, reject) => {
  compiler.run((error, result) => (error === null ? resolve(result) : reject(error)));
});
if (stats.hasErrors() || stats.hasWarnings()) console.log(stats.toString('errors-warnings'));
