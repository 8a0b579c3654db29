// Our packages as they are built (`pnpm build` comes first), of this checkout or of the one in KERNEL_CHECKOUT.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const checkout = resolve(process.env.KERNEL_CHECKOUT ?? new URL('../..', import.meta.url).pathname);
const load = (name) => import(pathToFileURL(`${checkout}/packages/${name}/dist/index.js`).href);
const [providers, agent, tools] = await Promise.all([load('providers'), load('agent'), load('tools')]);

export const { createProvider } = providers;
export const { collect, run } = agent;
export const { bindTool, createRegistry } = tools;
