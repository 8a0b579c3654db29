import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { updateRegistryEntry } from '../../release/registry-entry.ts';
import { tree } from '../fixture-tree.ts';

const ENTRY = 'apps/prompt-agent/acp-registry/agent.json';

test('the entry of the program for the registry of the protocol follows its version, and nothing else of it changes', () => {
  verifies('cli.acp.registry');
  const entry = readFileSync(join(resolve(import.meta.dirname, '../../..'), ENTRY), 'utf8');
  const manifest = '{ "name": "@kernel/prompt-agent", "version": "12.3.4" }';
  const root = tree({ [ENTRY]: entry, 'apps/prompt-agent/package.json': manifest });
  updateRegistryEntry(root);
  const updated = readFileSync(join(root, ENTRY), 'utf8');
  const { version } = JSON.parse(entry) as { readonly version: string };
  expect(updated).not.toBe(entry);
  expect(updated.replace('"12.3.4"', `"${version}"`).replace('agent@12.3.4', `agent@${version}`)).toBe(entry);
});
