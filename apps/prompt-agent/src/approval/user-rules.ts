import { join } from 'node:path';
import { errorMessage } from '@kernel/internal';
import type { PermissionRule } from '@kernel/toolbox/permissions';
import type { UserRule } from '../config/file-schemas.ts';
import { configFolder } from '../config/folders.ts';
import { changeState } from '../config/state-file.ts';
import { usageError } from '../exit-code.ts';
import { parseJson, readText } from '../files/read-file.ts';
import type { Host } from '../host.ts';

/**
 * Reads the user's own rules for calls, `permissions.json` in the config folder: `{ "rules": [{ "allow": "run_command(npm test)", "workspace": "/home/me/project" }] }`; a rule without a workspace holds everywhere.
 * Rejects with a usage error for a file that cannot be read: one of its rules may deny something.
 */
export async function loadUserRules(host: Pick<Host, 'env' | 'home'>, workspace: string) {
  const path = join(configFolder(host), 'permissions.json');
  const holdsHere = (rule: UserRule): boolean => rule.workspace === undefined || rule.workspace === workspace;
  let text = await readText(path, 'permissions');
  const parse = async (): Promise<readonly PermissionRule[]> =>
    text === undefined
      ? []
      : (await parseRules(path, parseRulesText(text, path))).filter(holdsHere).map(({ rule }) => rule);
  return {
    path,
    rules: await parse(),
    /** Reads the file again. Resolves to the rules if it has changed since it was read last, else to undefined. */
    async changed(): Promise<readonly PermissionRule[] | undefined> {
      const now = await readText(path, 'permissions');
      if (now === text) return undefined;
      text = now;
      return parse();
    },
    /** Adds a rule for the workspace to the file, which only the user can read. */
    async add(rule: PermissionRule): Promise<void> {
      await changeState(path, async (json, problem) => {
        if (problem !== undefined) throw damaged(`${path} ${problem}.`);
        const known = Object.keys(json).length === 0 ? [] : await parseRules(path, json);
        const isKnown = known.some((each) => holdsHere(each) && JSON.stringify(each.rule) === JSON.stringify(rule));
        if (isKnown) return undefined;
        const rules = [...known, { rule, workspace }].map((each) => ({
          ...each.rule,
          ...(each.workspace === undefined ? {} : { workspace: each.workspace }),
        }));
        return { rules };
      });
    },
  };
}

export type UserRules = Awaited<ReturnType<typeof loadUserRules>>;

function parseRulesText(text: string, path: string): unknown {
  try {
    return parseJson(text, path);
  } catch (error) {
    throw damaged(errorMessage(error));
  }
}

async function parseRules(path: string, json: unknown): Promise<readonly UserRule[]> {
  return (await import('../config/file-schemas.ts')).parseUserRules(path, json);
}

function damaged(problem: string): Error {
  return usageError(
    `${problem} Correct it or move it away. It is not ignored, because one of its rules may deny something.`,
  );
}
