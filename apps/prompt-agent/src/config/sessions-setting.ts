import { join, resolve } from 'node:path';
import { isObject } from '@kernel/internal';
import { readText } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import type { Flags } from '../options/flags.ts';
import { configFolder } from './folders.ts';

/**
 * Finds out whether sessions are kept: by `--no-session`, `PROMPT_AGENT_SESSIONS=off`, or `"sessions": false` in the file of `--config`, else in the user's own
 * file. That file counts for this also where a project's config is used: nobody else decides on what is kept.
 */
export async function sessionsSetting(
  flags: Flags,
  host: Pick<Host, 'cwd' | 'env' | 'home'>,
): Promise<{ readonly isKept: boolean; readonly from: string }> {
  if (flags['no-session'] === true) return { isKept: false, from: '--no-session' };
  if (host.env['PROMPT_AGENT_SESSIONS'] === 'off') return { isKept: false, from: 'PROMPT_AGENT_SESSIONS' };
  const own = join(configFolder(host), 'config.json');
  const files = [...(flags.config === undefined ? [] : [flags.config]), own];
  for (const file of files) {
    // oxlint-disable-next-line no-await-in-loop -- the first that says it
    const isKept = await settingIn(resolve(host.cwd, file));
    if (isKept !== undefined) return { isKept, from: file };
  }
  return { isKept: true, from: 'default' };
}

/** What a file says. What is wrong with it is reported where the whole of it is read. */
async function settingIn(path: string): Promise<boolean | undefined> {
  const text = await readText(path, 'config').catch(() => undefined);
  if (text?.includes('"sessions"') !== true) return undefined;
  try {
    const json: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    const value = isObject(json) ? json['sessions'] : undefined;
    return typeof value === 'boolean' ? value : undefined;
  } catch {
    return undefined;
  }
}
