/** The cells of the matrix: the official SDK, old and new, on either side, in each revision over each transport. */
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { REVISIONS, type Revision } from '../lib/conformance-suite.ts';

const TRANSPORTS = ['stdio', 'streamable HTTP', 'HTTP+SSE'] as const;
const PEERS = ['client of SDK 1', 'client of SDK 2', 'server of SDK 1', 'server of SDK 2'] as const;

export interface Cell {
  readonly transport: (typeof TRANSPORTS)[number];
  readonly revision: Revision;
  /** What is at the other end. */
  readonly peer: (typeof PEERS)[number];
}

/** What a cell comes to, as the table shows it. */
export type Verdict = 'yes' | '– ¹' | '– ²' | '– ³' | 'refused ⁴';

export const CELLS: readonly Cell[] = TRANSPORTS.flatMap((transport) =>
  REVISIONS.flatMap((revision) => PEERS.map((peer) => ({ transport, revision, peer }))),
);

const NOTES = [
  '¹: Version 1 of the SDK ends at 2025-11-25; it and `@kernel/mcp` agree on that.',
  '²: The revision 2026-07-28 has no HTTP+SSE: its transports are stdio and streamable HTTP.',
  '³: Version 2 of the SDK has no server for HTTP+SSE.',
  '⁴: `@kernel/mcp` does not speak HTTP+SSE, which streamable HTTP replaced in 2025-03-26: it ties a client to one process, and sends it to a second address that the server names. A client is refused at once, and so is a config that asks for it.',
] as const;

/** What a cell must come to. */
export function expectedOf({ transport, revision, peer }: Cell): Verdict {
  if (peer.endsWith('SDK 1') && !SUPPORTED_PROTOCOL_VERSIONS.includes(revision)) return '– ¹';
  if (transport !== 'HTTP+SSE') return 'yes';
  if (revision === '2026-07-28') return '– ²';
  return peer === 'server of SDK 2' ? '– ³' : 'refused ⁴';
}

/** The matrix as Markdown. */
export function tableOf(verdictOf: (cell: Cell) => string): string {
  const rows = TRANSPORTS.flatMap((transport) =>
    REVISIONS.map((revision) => [
      transport,
      revision,
      ...PEERS.map((peer) => verdictOf({ transport, revision, peer })),
    ]),
  );
  const lines = [['transport', 'revision', ...PEERS], ...rows];
  const widths = PEERS.map((_, at) => at + 2);
  const columns = [0, 1, ...widths].map((at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const toLine = (line: readonly string[]): string =>
    `| ${line.map((text, at) => text.padEnd(columns[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = lines;
  const rule = `| ${columns.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [toLine(head), rule, ...body.map(toLine), '', ...NOTES.map((note) => `- ${note}`)].join('\n');
}

/** Where the table is in the package's README. */
export const README = new URL('../../../packages/mcp/README.md', import.meta.url);
const MARKED = /(<!-- matrix -->\n\n)[\s\S]*?(?=\n+## )/;

/** The text of the README with this table in it. */
export function withTable(readme: string, table: string): string {
  if (!MARKED.test(readme)) throw new Error('The README has no line "<!-- matrix -->" with a heading after it.');
  return readme.replace(MARKED, (_, head: string) => head + table);
}
