/** Writes the tables of `docs/acp-methods.md` from the schema of the SDK and `protocol-methods.ts`: `node test/acp/protocol-table.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { withMethodTables } from './lib/methods-table.ts';

const file = new URL('../../docs/acp-methods.md', import.meta.url);
writeFileSync(file, withMethodTables(readFileSync(file, 'utf8')));
