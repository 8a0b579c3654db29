import { usageError } from '../exit-code.ts';
import { LIMITS, RUN, SESSION, TOOLS } from './agent-flags.ts';
import { AGENT, type Mode, TEXT } from './flag-spec.ts';
import { FLAG_NAMES, type FlagName, type Flags, specOf } from './flags.ts';

const ALL: readonly Mode[] = [...TEXT, 'embeddings', 'audio'];

/** What a raw call cannot do without. */
const NEEDED: Partial<Record<Mode, 'images' | 'tools-file' | 'audio'>> = {
  vision: 'images',
  tools: 'tools-file',
  audio: 'audio',
};

/** Returns the raw protocol of `ask`, and warnings about flags that do nothing with it. Throws a usage error where it lacks what it needs. */
export function checkAsk(flags: Flags) {
  const { protocol } = flags;
  const needed = protocol && NEEDED[protocol];
  if (needed !== undefined && (flags[needed] ?? '') === '')
    throw usageError(`--protocol ${protocol} needs --${needed} ${specOf(needed).value ?? ''}.`);
  const mode = protocol ?? 'agent';
  const warnings = FLAG_NAMES.filter((flag) => flags[flag] !== undefined && !modesOf(flag).includes(mode)).map(
    (flag) => `--${flag} has no effect ${protocol === undefined ? 'without' : 'with'} --protocol ${protocol ?? '…'}`,
  );
  return { protocol, warnings };
}

function modesOf(flag: FlagName): readonly Mode[] {
  const isOfAgent = [SESSION, TOOLS, RUN, LIMITS].some((group) => Object.hasOwn(group, flag));
  return specOf(flag).modes ?? (isOfAgent ? AGENT : ALL);
}

export function offlineWarnings(flags: Flags): readonly string[] {
  return FLAG_NAMES.filter((flag) => specOf(flag).needsModel === true && flags[flag] !== undefined).map(
    (flag) => `--${flag} has no effect: offline uses no model and no server`,
  );
}
