import { readFileSync } from 'node:fs';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { sharedData } from '../../../test/setup/shared-data.ts';
import { compileSchema } from '../src/index.ts';

interface Suite {
  readonly remotesBase: string;
  readonly remotes: Readonly<Record<string, object | boolean>>;
  readonly drafts: Readonly<Record<string, { readonly required: Readonly<Record<string, readonly Group[]>> }>>;
}

interface Group {
  readonly description: string;
  readonly schema: object | boolean;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const suiteFile = sharedData('json-schema-test-suite.json', 'JSON_SCHEMA_TEST_SUITE');

test.each([
  ['draft2020-12', '2020-12', 1299],
  ['draft7', 'draft-07', 927],
] as const)(
  'every required case of the official suite for %s has the right answer',
  suiteFile.options,
  (name, draft, count) => {
    verifies('tools.execute.schema');
    const suite = JSON.parse(readFileSync(suiteFile.path, 'utf8')) as Suite;
    const documents = new Map(
      Object.entries(suite.remotes).map(([path, schema]) => [`${suite.remotesBase}${path}`, schema as never]),
    );
    const wrong: string[] = [];
    let right = 0;
    for (const [part, groups] of Object.entries(suite.drafts[name]?.required ?? {})) {
      for (const group of groups) {
        const validator = compileSchema(group.schema as never, { draft, documents });
        for (const one of group.tests) {
          const passes = validator.test(one.data);
          const agree = (validator.issues(one.data).length === 0) === passes;
          if (passes === one.valid && agree) right += 1;
          else wrong.push(`${part}: ${group.description}: ${one.description}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(right).toBe(count);
  },
);
