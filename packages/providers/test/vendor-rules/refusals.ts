// The bodies of seven wires are read without types.
/* oxlint-disable typescript/no-explicit-any, typescript/no-unsafe-member-access, typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-argument, typescript/no-unsafe-return, typescript/strict-boolean-expressions, typescript/restrict-template-expressions */
import { limitsOf } from '../../src/vendor-rules/vendor-limits.ts';

interface Loose {
  readonly [key: string]: any;
}

/** What a vendor would say to a body: it plays the vendor by the rules of the table. */
export function refusalsOf(vendor: string, model: string, body: Loose): readonly string[] {
  const limits = limitsOf(vendor, model);
  const said: string[] = [];
  const chat: readonly Loose[] = body['messages'] ?? [];
  for (const [at, message] of chat.entries()) {
    const calls: readonly Loose[] = message['tool_calls'] ?? [];
    if (message['role'] === 'user' && chat[at - 1]?.['role'] === 'tool' && limits.afterResults !== undefined)
      said.push("Unexpected role 'user' after role 'tool'");
    if (message['role'] !== 'assistant') continue;
    const isEmpty = message['content'] === null || String(message['content']).trim() === '';
    if (limits.emptyReply !== undefined && isEmpty && calls.length === 0) said.push('an empty assistant message');
    if (limits.reasoningContent === 'all' || (limits.reasoningContent !== undefined && calls.length > 0))
      if (!message['reasoning_content'] && Array.isArray(body['tools']) && !Array.isArray(message['content']))
        said.push('reasoning_content must be passed back');
    if (limits.unsignedThinking !== undefined && Array.isArray(message['content'])) {
      const types = message['content'].map((block: Loose) => block['type']);
      if (types.includes('tool_use') && types[0] !== 'thinking') said.push('content[].thinking must be passed back');
    }
  }
  if (limits.lastReply !== undefined && chat.at(-1)?.['role'] === 'assistant')
    said.push('must end with a user message');
  if (vendor !== 'gemini' && Array.isArray(chat[0]?.['content']) && chat[0]?.['role'] === 'assistant')
    said.push('must begin with a user message');
  for (const { parts, role } of (body['contents'] ?? []) as readonly Loose[]) {
    const first = parts.find((part: Loose) => part['functionCall']);
    if (role === 'model' && first && limits.foreignSignature && !first['thoughtSignature'])
      said.push('Function call is missing a thought_signature');
  }
  const documents = chat.flatMap((message) => (Array.isArray(message['content']) ? message['content'] : []));
  const names = documents.flatMap((block: Loose) => block['document']?.name ?? []);
  if (new Set(names).size < names.length) said.push('two documents of one name');
  for (const schema of schemasOf(body)) said.push(...schemaRefusals(schema, schema, limits.propertyNames));
  return said;
}

/** The schemas of the tools, wherever a wire puts them. */
export function schemasOf(body: Loose): readonly Loose[] {
  const tools: readonly Loose[] = body['tools'] ?? body['toolConfig']?.tools ?? [];
  return tools.flatMap((tool): readonly Loose[] => {
    const one = tool['function']?.parameters ?? tool['input_schema'] ?? tool['toolSpec']?.inputSchema.json;
    const declared = tool['functionDeclarations']?.map((each: Loose) => each['parametersJsonSchema']);
    return tool['cachePoint'] ? [] : (declared ?? [one ?? tool['parameters']]);
  });
}

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

function schemaRefusals(schema: unknown, root: Loose, names: RegExp | undefined): readonly string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return [`${JSON.stringify(schema)} is no schema`];
  const node = schema as Loose;
  const types = [node['type'] ?? []].flat();
  const inner = [
    ...Object.values(node['properties'] ?? {}),
    ...(node['items'] === undefined ? [] : [node['items']]),
    ...(node['anyOf'] ?? []),
    ...(node['oneOf'] ?? []),
    ...Object.values(node['$defs'] ?? {}),
  ];
  const pointed = typeof node['$ref'] === 'string' ? node['$ref'].split('/').slice(1) : [];
  return [
    ...types.filter((type) => !TYPES.has(type)).map((type) => `${type} is no type`),
    ...(node['type'] !== undefined && types.length === 0 ? ['no type at all'] : []),
    ...(types.includes('array') && node['items'] === undefined ? ['array schema missing items'] : []),
    ...(node['required'] !== undefined && !Array.isArray(node['required']) ? ['required is no list'] : []),
    ...(typeof node['exclusiveMinimum'] === 'boolean' ? ['exclusiveMinimum is no number'] : []),
    ...(pointed.reduce((at: any, key: string) => at?.[key], root) === undefined
      ? [`${node['$ref']} leads nowhere`]
      : []),
    ...Object.keys(node['properties'] ?? {})
      .filter((name) => names?.test(name) === false)
      .map((name) => `Property keys should match pattern: ${name}`),
    ...inner.flatMap((each) => schemaRefusals(each, root, names)),
  ];
}
