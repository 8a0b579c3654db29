// Which tools are enabled and hidden, kept in a file that is written atomically.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bindTool, createRegistry, loadRegistry, saveRegistry } from '@kernel/tools';

const make = () =>
  createRegistry(
    ['read', 'write', 'search'].map((name) => bindTool({ name, description: name, parameters: {} }, () => name)),
  );
const folder = await mkdtemp(join(tmpdir(), 'kernel-'));
const file = join(folder, 'tools.json');

const first = make();
first.disable(['write']);
first.overrideMetadata('search', { usageHint: 'Use before reading.' });
await saveRegistry(first, file);
console.log(await readFile(file, 'utf8'));

const second = make();
const { unknown } = await loadRegistry(second, file);
assert.deepEqual([second.names(), unknown], [['read', 'search'], []]);
await rm(folder, { recursive: true });
