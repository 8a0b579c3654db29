import {
  AGENT_CAPABILITIES,
  CLIENT_CAPABILITIES,
  METHODS,
  type Row,
  type Rows,
  type Standing,
  VARIANTS,
} from '../protocol-methods.ts';
import { capabilitiesOf, type ProtocolPart, readProtocolSchema, variantsOf } from './protocol-schema.ts';

/** A table of the document: the parts of the schema, and what we decided about them. */
export interface TableOfParts {
  readonly title: string;
  readonly parts: readonly ProtocolPart[];
  readonly rows: Rows;
}

/** The tables of the document, in order. */
export function methodTables(): readonly TableOfParts[] {
  const schema = readProtocolSchema();
  const methods = schema.methods.map(({ side, method, isNotification, isUnstable }): ProtocolPart => ({
    name: `${side} ${method}${isNotification ? ' (notification)' : ''}`,
    isUnstable,
  }));
  return [
    { title: 'Methods', parts: methods, rows: METHODS },
    ...Object.entries(VARIANTS).map(([union, rows]) => ({ title: union, parts: variantsOf(schema, union), rows })),
    { title: 'Capabilities of an agent', parts: capabilitiesOf(schema, 'AgentCapabilities'), rows: AGENT_CAPABILITIES },
    {
      title: 'Capabilities of a client',
      parts: capabilitiesOf(schema, 'ClientCapabilities'),
      rows: CLIENT_CAPABILITIES,
    },
  ];
}

/** What is new in the schema: a test fails until it is decided on. */
const UNDECIDED: Standing = { not: '…' };

const TABLES = /(?<=<!-- methods -->\n)[\s\S]*(?=<!-- \/methods -->)/;

/** The text of the document with the tables as they are. */
export function withMethodTables(document: string): string {
  const tables = methodTables().map(({ title, parts, rows }) => {
    const lines = parts.map(({ name, isUnstable }) => {
      const row = rows[name] ?? { agent: UNDECIDED, client: UNDECIDED };
      return `| ${isUnstable ? `_${code(name)}_` : code(name)} | ${cell(row.agent)} | ${isSame(row) ? 'likewise' : cell(row.client)} |`;
    });
    return `### ${title}\n\n| | as agent | as client |\n|---|---|---|\n${lines.join('\n')}\n`;
  });
  return document.replace(TABLES, () => `\n${tables.join('\n')}\n`);
}

/** A name as code, with who handles it before it. */
function code(name: string): string {
  const [, side, rest = name] = /^(agent|client|protocol|proxy) (.+)$/.exec(name) ?? [];
  const [method = '', note] = rest.split(' (');
  return `${side === undefined ? '' : `${side}: `}\`${method}\`${note === undefined ? '' : ` (${note}`}`;
}

function isSame({ agent, client }: Row): boolean {
  return cell(agent) === cell(client);
}

function cell(standing: Standing): string {
  return 'not' in standing ? standing.not : `[done](../${standing.test})`;
}
