import { collect, run } from '@kernel/agent';
import { type CustomProviderConfig, createProviders } from '@kernel/providers';
import { withTextTools } from '@kernel/providers/text-tools';
import { compileSchema } from '@kernel/schema';
import { type RecordedRequest, startWireServer, type WireName, type WireReply, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { expect, onTestFinished, test } from 'vitest';
import { CASES } from './answer-schemas.ts';
import { readAnswerTable } from './answer-table.ts';

const TABLE = readAnswerTable();
/** What the guide says of a column, at one place of each of its cells. */
const columnOf = (column: string, place: number): (string | undefined)[] =>
  CASES.map(({ name }) => TABLE.get(name)?.get(column)?.split(', ')[place]);

type Json = Readonly<Record<string, unknown>>;

/** A wire: a model that takes a schema together with tools, one that does not, and where things stand in its requests, as JSON pointers. */
interface WireCase {
  readonly wire: WireName;
  readonly config?: Partial<CustomProviderConfig>;
  readonly native?: string;
  readonly other: string;
  /** The schema of the reply. */
  readonly format: string;
  /** The list of tools, and within a tool its name and schema. */
  readonly tools: readonly [list: string, name: string, schema: string];
}

const FUNCTIONS = ['/tools', '/function/name', '/function/parameters'] as const;

const WIRES: readonly WireCase[] = [
  {
    wire: 'openai',
    config: { quirks: { schemaWithTools: true } },
    native: 'gpt-5.1',
    other: 'gpt-4',
    format: '/response_format/json_schema/schema',
    tools: FUNCTIONS,
  },
  {
    wire: 'openai-responses',
    native: 'gpt-5.1',
    other: 'gpt-3.5-turbo',
    format: '/text/format/schema',
    tools: ['/tools', '/name', '/parameters'],
  },
  {
    wire: 'anthropic',
    config: { token: 't' },
    native: 'claude-sonnet-5',
    other: 'claude-3-opus',
    format: '/output_config/format/schema',
    tools: ['/tools', '/name', '/input_schema'],
  },
  {
    wire: 'gemini',
    config: { token: 't' },
    native: 'gemini-3-pro',
    other: 'gemini-2.5-flash',
    format: '/generationConfig/responseJsonSchema',
    tools: ['/tools/0/functionDeclarations', '/name', '/parametersJsonSchema'],
  },
  { wire: 'ollama', other: 'qwen3', format: '/format', tools: FUNCTIONS },
  {
    wire: 'bedrock',
    config: { region: 'eu-west-1', token: 't' },
    other: 'anthropic.claude-sonnet-5-v1:0',
    format: '/none',
    tools: ['/toolConfig/tools', '/toolSpec/name', '/toolSpec/inputSchema/json'],
  },
];

/** What stands at a JSON pointer; undefined if there is nothing. */
function at(value: unknown, pointer: string): unknown {
  let found = value;
  for (const key of pointer.split('/').slice(1))
    found = typeof found === 'object' && found !== null ? (found as Json)[key] : undefined;
  return found;
}

/** What a model that keeps to the schema writes: in an object if that is asked for, with null for what must be there and is not. */
function complete(value: unknown, schema: Json, root: Json): unknown {
  const reference = typeof schema['$ref'] === 'string' ? schema['$ref'] : undefined;
  if (reference !== undefined) return complete(value, resolve(reference, root), root);
  for (const branch of [schema['anyOf'], schema['oneOf']].flat() as readonly (Json | undefined)[]) {
    if (branch === undefined || !fits(value, branch, root)) continue;
    return complete(value, branch, root);
  }
  if (Array.isArray(value) && schema['items'] !== undefined)
    return value.map((item) => complete(item, schema['items'] as Json, root));
  const properties = schema['properties'] as Readonly<Record<string, Json>> | undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || properties === undefined) return value;
  const required = (schema['required'] ?? []) as readonly string[];
  const known = value as Json;
  const names = Object.keys(properties).filter((name) => name in known || required.includes(name));
  return Object.fromEntries(
    names.map((name) => [name, name in known ? complete(known[name], properties[name] ?? {}, root) : null]),
  );
}

function fits(value: unknown, branch: Json, root: Json): boolean {
  const { $defs, definitions } = root;
  const whole = { ...branch, ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}) } as Json;
  if (typeof branch['$ref'] === 'string') return fits(value, resolve(branch['$ref'], root), root);
  try {
    return compileSchema(whole).test(complete(value, withoutUnions(branch), root));
  } catch {
    return false;
  }
}

function withoutUnions({ anyOf: _anyOf, oneOf: _oneOf, ...rest }: Json): Json {
  return rest;
}

function resolve(reference: string, root: Json): Json {
  let found: unknown = root;
  for (const key of reference.split('/').slice(1)) found = (found as Json)[key];
  return found as Json;
}

/** Plays a model: answers in the way that the request asks for, with a value that its schema accepts. */
function play(wire: WireCase, written: unknown, { body }: RecordedRequest, seen: string[]): WireReply {
  const [list, nameAt, schemaAt] = wire.tools;
  const format = at(body, wire.format) as Json | undefined;
  const tools = (at(body, list) ?? []) as readonly unknown[];
  const tool = tools.find((each) => at(each, nameAt) === 'final_answer');
  const schema = format ?? (at(tool, schemaAt) as Json | undefined);
  if (schema === undefined) throw new Error(`no schema in ${JSON.stringify(body).slice(0, 500)}`);
  seen.push(format === undefined ? 'tool-call' : 'schema');
  const isWrapped = Object.keys(schema['properties'] ?? {}).join() === 'answer';
  const value = complete(isWrapped ? { answer: written } : written, schema, schema);
  const [issue] = compileSchema(schema).issues(value);
  if (issue !== undefined)
    throw new Error(`${JSON.stringify(value)} does not fit what was asked for: ${issue.path} ${issue.expected}`);
  return format === undefined
    ? { calls: [{ name: 'final_answer', arguments: JSON.stringify(value) }] }
    : { text: JSON.stringify(value), pieces: 4 };
}

/** Beside a tool, by the format of the reply and by a tool that takes the answer; and without tools, where that makes a difference. */
const MATRIX = WIRES.flatMap((wire) => [
  ...(wire.native === undefined ? [] : [['schema', 'beside a tool', wire.native, wire] as const]),
  ['tool-call', 'beside a tool', wire.other, wire] as const,
  ...(wire.wire === 'ollama' || wire.wire === 'gemini' ? [['schema', 'alone', wire.other, wire] as const] : []),
]);

test.each(MATRIX.map((row) => [row[3].wire, ...row] as const))(
  '%s gives forty typed answers by %s, %s',
  async (_, mode, place, model, wire) => {
    verifies('output.wires');
    const failures: string[] = [];
    const seen: string[] = [];
    let written: unknown;
    let problem = '';
    const replies = (request: RecordedRequest): WireReply => {
      try {
        return play(wire, written, request, seen);
      } catch (error) {
        problem = String(error);
        return { text: 'broken' };
      }
    };
    const server = await startWireServer({ wire: wire.wire, replies });
    onTestFinished(() => server.close());
    const look = bindTool(
      { name: 'look_up', description: 'Looks up.', parameters: { type: 'object' }, effect: 'read' },
      () => 'x',
    );
    const tools = place === 'alone' ? undefined : createRegistry([look]);
    const provider = createProviders().create({ name: wire.wire, baseUrl: server.baseUrl, ...wire.config });
    for (const { name, schema, written: value, expected = value } of CASES) {
      written = value;
      problem = '';
      const result = await collect(
        run({
          provider,
          model,
          tools,
          messages: [{ role: 'user', content: '?' }],
          output: schema,
          limits: { turns: 3 },
        }),
      );
      const output =
        result.reason === 'done' ? result.output : `${result.reason} ${'error' in result ? result.error.message : ''}`;
      try {
        expect(output).toEqual(expected);
        expect(result.turns).toBe(1);
      } catch {
        failures.push(`${name}: ${problem} ${JSON.stringify(output)}`);
      }
    }
    expect(failures).toEqual([]);
    expect(CASES).toHaveLength(40);
    // Arbitrary keys and tuples have no strict form, so a tool takes them everywhere.
    const modes = CASES.map(({ name }) => (name === 'record' || name === 'tuple' ? 'tool-call' : mode));
    expect(seen).toEqual(modes);
    const variants = MATRIX.filter((row) => row[3] === wire);
    const index = variants.findIndex((row) => row[0] === mode && row[1] === place && row[2] === model);
    const words = seen.map((each) => (each === 'schema' ? 'format' : 'tool'));
    expect(words).toEqual(columnOf(wire.wire, index));
  },
);

test('forty typed answers from a local model without native calls: by its format alone, and as text calls beside a tool', async () => {
  verifies('output.wires');
  const failures: string[] = [];
  const words: string[] = [];
  let answer: unknown;
  const replies = ({ body }: RecordedRequest): WireReply => {
    const text = JSON.stringify(answer);
    const hasFormat = at(body, '/response_format/json_schema/schema') !== undefined;
    words.push(hasFormat ? 'format' : 'text');
    return { text: hasFormat ? text : `<tool_call>{"name":"final_answer","arguments":${text}}</tool_call>`, pieces: 3 };
  };
  const server = await startWireServer({ wire: 'openai', replies });
  onTestFinished(() => server.close());
  const look = bindTool(
    { name: 'look_up', description: '', parameters: { type: 'object' }, effect: 'read' },
    () => 'x',
  );
  const provider = withTextTools(createProviders().create({ name: 'llamacpp', baseUrl: server.baseUrl }), 'hermes');
  for (const tools of [undefined, createRegistry([look])])
    for (const { name, schema, written, expected = written } of CASES) {
      answer = name.endsWith('at the root') ? { answer: written } : written;
      const messages = [{ role: 'user', content: '?' }] as const;
      const result = await collect(
        run({ provider, model: 'qwen3', tools, messages, output: schema, limits: { turns: 3 } }),
      );
      try {
        expect(result.reason === 'done' && result.output).toEqual(expected);
        expect(result.turns).toBe(1);
      } catch {
        failures.push(`${name}: ${JSON.stringify(result.reason === 'done' ? result.output : result)}`.slice(0, 300));
      }
    }
  expect(failures).toEqual([]);
  expect(words).toEqual([...columnOf('withTextTools', 0), ...columnOf('withTextTools', 1)]);
});

test('the table in the guide has a row for each of the forty schemas', () => {
  verifies('output.wires');
  expect([...TABLE.keys()]).toEqual(CASES.map(({ name }) => name));
});
