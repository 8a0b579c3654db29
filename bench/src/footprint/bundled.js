// The loop of a contender as one minified file for Node.
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = createRequire(new URL('../../../package.json', import.meta.url));
const { rolldown } = await import(pathToFileURL(root.resolve('rolldown')).href);
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const ENTRY = '\0entry';

/** Bytes of its chunks that are loaded at the start, as gzip. */
export async function bundledBytes(name) {
  const source =
    name === 'ours'
      ? // By name, not by file, so that the bundler sees what a user's would.
        `export { createProvider } from ${JSON.stringify(file('../../../packages/providers/dist/index.js'))};
         export { collect, run } from ${JSON.stringify(file('../../../packages/agent/dist/index.js'))};
         export { bindTool, createRegistry } from ${JSON.stringify(file('../../../packages/tools/dist/index.js'))};`
      : `export { loop } from ${JSON.stringify(file(`../contenders/${name}.js`))};`;
  const bundle = await rolldown({
    input: ENTRY,
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? ENTRY : undefined),
        load: (id) => (id === ENTRY ? source : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return gzipSync(startChunks(output).join('\n')).length;
}

function startChunks(output) {
  const byName = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const seen = new Set();
  const visit = (name) => {
    const chunk = byName.get(name);
    if (chunk?.code === undefined || seen.has(chunk)) return;
    seen.add(chunk);
    chunk.imports.forEach(visit);
  };
  output.filter((chunk) => chunk.isEntry).forEach((chunk) => visit(chunk.fileName));
  return [...seen].map((chunk) => chunk.code);
}
