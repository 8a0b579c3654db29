import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { isObject, parseJson } from '@kernel/internal';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { workspace } from '../program.ts';

const PACKAGE = join(import.meta.dirname, '../..');
const ENTRY = join(PACKAGE, 'acp-registry');

const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Record<string, unknown>;
const entry = JSON.parse(readFileSync(join(ENTRY, 'agent.json'), 'utf8')) as {
  readonly id: string;
  readonly version: string;
  readonly repository?: string;
  readonly distribution: { readonly npx: { readonly args: readonly string[] } };
};

test('the entry for the registry of the protocol names the package in its version, and nothing that the manifest does not say', () => {
  verifies('cli.acp.registry');
  const { name, version, description, license } = manifest as Record<string, string>;
  const { repository = '', ...rest } = entry;
  expect(JSON.stringify(manifest['repository'] ?? '')).toContain(repository);
  expect(rest).toEqual({
    id: 'prompt-agent',
    name: 'prompt-agent',
    version,
    description,
    license,
    distribution: { npx: { package: `${name}@${version}`, args: ['acp'] } },
  });
  // What the registry takes: an id for a folder, three numbers, an SPDX name.
  expect(entry.id).toMatch(/^[a-z][a-z0-9-]*$/);
  expect(entry.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(license).toMatch(/^[A-Za-z0-9.+-]+$/);
  // What npx starts: the one program of the package.
  expect(Object.keys(manifest['bin'] as object)).toEqual([entry.id]);
});

test('its icon is of one colour, that of the text around it, on a square of 16', () => {
  verifies('cli.acp.registry');
  expect(existsSync(join(ENTRY, 'icon.svg'))).toBe(true);
  const svg = readFileSync(join(ENTRY, 'icon.svg'), 'utf8');
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="16" height="16" viewBox="0 0 16 16">/);
  const paints = [...svg.matchAll(/\b(?:fill|stroke)\s*[=:]\s*["']?([^"';>]*)/g)].map(([, paint]) => paint);
  expect(new Set(paints)).toEqual(new Set(['none', 'currentColor']));
  expect([...svg.matchAll(/<([a-z]+)/g)].map(([, element]) => element)).toEqual(['svg', 'path', 'path']);
  expect(svg).not.toMatch(/\b(?:style|class|href|on\w+)\s*=/);
});

test('what the entry starts names a way to sign in that the registry knows, to a client that it checks agents with', async () => {
  verifies('cli.acp.registry');
  const cwd = workspace({});
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const exit = main({
    argv: [...entry.distribution.npx.args],
    env: { PATH: process.env['PATH'], TERM: 'dumb', PROMPT_AGENT_SERVERS: '' },
    cwd,
    home: cwd,
    stdin,
    stdout,
    stderr: new PassThrough().resume(),
    signal: new AbortController().signal,
  });
  const clientCapabilities = { terminal: true, fs: { readTextFile: true, writeTextFile: true } };
  const params = { protocolVersion: 1, clientInfo: { name: 'check', version: '1.0.0' }, clientCapabilities };
  const answered = once(createInterface({ input: stdout }), 'line') as Promise<[string]>;
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const [line] = await answered;
  const answer = parseJson(line);
  const result = isObject(answer) && isObject(answer['result']) ? answer['result'] : {};
  const methods = result['authMethods'] as readonly { readonly type?: string }[];
  // One without a type is of the type `agent`.
  expect(methods.filter(({ type = 'agent' }) => type === 'agent' || type === 'terminal')).not.toEqual([]);
  stdin.end();
  expect(await exit).toBe(0);
});
