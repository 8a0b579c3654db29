/** Puts the mutant of the environment into what a process of its own loads: run with `--import`, for tests that start processes. */
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { mutate } from './mutate-source.ts';

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.startsWith('file:') || loaded.source === undefined || loaded.source === null) return loaded;
    const text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    const mutated = mutate(fileURLToPath(url), text);
    return mutated === undefined ? loaded : { ...loaded, source: mutated };
  },
});
