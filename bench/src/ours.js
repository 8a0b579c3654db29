// Our packages as they are built (`pnpm build` comes first), of this checkout or of the one in KERNEL_CHECKOUT.
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const checkout = resolve(process.env.KERNEL_CHECKOUT ?? fileURLToPath(new URL('../..', import.meta.url)));
/** `agent`, or an entry of it such as `agent/web` or the file `agent/session/file-session.js`. */
const load = (name) => {
  const [folder, ...entry] = name.split('/');
  const file = name.endsWith('.js') ? entry.join('/') : [...entry, 'index.js'].join('/');
  return import(pathToFileURL(`${checkout}/packages/${folder}/dist/${file}`).href);
};

/** The packages of these names, each under its last word. */
export async function packages(...names) {
  const loaded = await Promise.all(names.map(load));
  return Object.fromEntries(names.map((name, at) => [name.split('/').at(-1), loaded[at]]));
}

const { protocol, providers, agent, tools } = await packages('protocol', 'providers', 'agent', 'tools');

export const { callTool } = protocol;
export const { createProvider } = providers;
export const { collect, run } = agent;
export const { bindTool, createRegistry } = tools;
