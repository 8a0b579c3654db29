import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '..');

interface Service {
  readonly image: string;
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, unknown>>;
}

test('the compose file has three nodes that know each other, on ports of this machine only, and the guide names its services', () => {
  verifies('restate.compose');
  const text = readFileSync(join(folder, 'compose.yaml'), 'utf8');
  const guide = readFileSync(join(folder, '../../docs/guides/restate-cluster.md'), 'utf8');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it holds is checked below
  const { services } = parse(text, { merge: true }) as { readonly services: Readonly<Record<string, Service>> };
  const nodes = Object.keys(services).filter((name) => name !== 'worker');
  expect(nodes).toEqual(['restate-1', 'restate-2', 'restate-3']);
  for (const name of Object.keys(services)) expect(guide).toContain(`\`${name}\``);
  for (const { ports = [] } of Object.values(services))
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  for (const name of nodes) {
    const environment = services[name]?.environment ?? {};
    expect(environment).toMatchObject({ RESTATE_NODE_NAME: name, RESTATE_ADVERTISED_ADDRESS: `http://${name}:5122` });
    expect(JSON.parse(String(environment['RESTATE_METADATA_CLIENT__ADDRESSES']))).toEqual(
      nodes.map((node) => `http://${node}:5122`),
    );
  }
  expect(nodes.filter((name) => services[name]?.environment?.['RESTATE_AUTO_PROVISION'] === 'true')).toHaveLength(1);
  // The version that the tests run.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the catalog is an object of texts
  const { catalog } = parse(readFileSync(join(folder, '../../pnpm-workspace.yaml'), 'utf8')) as {
    readonly catalog: Readonly<Record<string, string>>;
  };
  expect(services['restate-1']?.image).toBe(
    `docker.restate.dev/restatedev/restate:${catalog['@restatedev/restate-server']?.replace('^', '')}`,
  );
});
