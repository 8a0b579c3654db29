// Ours over the fetch of Node.
import { loop as loopOver } from './ours.js';

export const loop = (url, options) => loopOver(url, { ...options, transport: { fetch: globalThis.fetch } });
