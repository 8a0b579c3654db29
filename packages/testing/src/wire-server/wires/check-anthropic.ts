import {
  asFields,
  asList,
  blocksOf,
  checkModel,
  checkServerTool,
  checkTool,
  checkTurns,
  type Fields,
  isServerTool,
  onlyFields,
  PLAIN_NAME,
  problemsOf,
} from '../check-fields.ts';

const BODY = [
  'model messages system max_tokens tools tool_choice stream temperature top_p top_k stop_sequences',
  'thinking metadata output_config service_tier mcp_servers container context_management',
]
  .join(' ')
  .split(' ');

const COUNTED = 'model messages system tools tool_choice thinking output_config mcp_servers'.split(' ');

/** Returns what is wrong with a request for a count of tokens: it has no limit of the reply, and nothing that only a reply needs. */
export function checkCountRequest(body: unknown): readonly string[] {
  const problems: string[] = [];
  onlyFields(body, COUNTED, 'the body', problems);
  return [...problems, ...checkAnthropicRequest({ ...asFields(body), max_tokens: 1 })];
}

/** Returns what is wrong with a batch: each of its requests is one of Messages, not streamed. */
export function checkBatchRequest(body: unknown): readonly string[] {
  const problems: string[] = [];
  onlyFields(body, ['requests'], 'the body', problems);
  const requests = asList(asFields(body)?.['requests']).map((each) => asFields(each) ?? {});
  if (requests.length === 0) problems.push('requests is missing, empty or not a list');
  if (new Set(requests.map((each) => each['custom_id'])).size < requests.length)
    problems.push('a custom_id is there twice');
  for (const request of requests) {
    onlyFields(request, ['custom_id', 'params'], 'a request', problems);
    if (!PLAIN_NAME.test(String(request['custom_id']))) problems.push('a custom_id is illegal');
    if (asFields(request['params'])?.['stream'] === true) problems.push('a request of a batch is streamed');
    problems.push(...checkAnthropicRequest(request['params']));
  }
  return problems;
}

export function checkAnthropicRequest(body: unknown): readonly string[] {
  return problemsOf(body, BODY, checkFields);
}

function checkFields(fields: Fields, problems: string[]): void {
  checkModel(fields, problems);
  if (!Number.isInteger(fields['max_tokens'])) problems.push('max_tokens is missing');
  const marks = JSON.stringify(fields).split('"cache_control"').length - 1;
  if (marks > 4) problems.push(`${marks} cache marks, at most 4`);
  checkMarks(fields, problems);
  const names = new Set<string>();
  for (const entry of asList(fields['tools'])) {
    const tool = asFields(entry) ?? {};
    if (isServerTool(tool, 'custom')) {
      checkServerTool(tool, names, problems);
      continue;
    }
    onlyFields(tool, ['name', 'description', 'input_schema', 'cache_control', 'defer_loading'], 'tool', problems);
    checkTool(tool['name'], tool['input_schema'], PLAIN_NAME, names, problems);
  }
  const servers = asList(fields['mcp_servers']).map((server) => asFields(server)?.['name']);
  for (const name of servers)
    if (!names.has(String(name))) problems.push(`the MCP server "${String(name)}" has no toolset among the tools`);
  const choice = asFields(fields['tool_choice']);
  if (choice !== undefined && names.size === 0) problems.push('tool_choice without tools');
  if (choice?.['type'] === 'tool' && !names.has(String(choice['name'])))
    problems.push('tool_choice names a tool that the request does not offer');
  const messages = asList(fields['messages']);
  if (messages.length === 0) problems.push('messages is missing, empty or not a list');
  for (const [at, message] of messages.entries()) checkMessage(message, at, names.size > 0, problems);
  checkTurns(messages, readTurn, problems);
}

/** Checks the cache marks in the order in which the model reads them: one of an hour may not come after a shorter one. */
function checkMarks(body: Fields, problems: string[]): void {
  const text = JSON.stringify([body['tools'], body['system'], body['messages']]);
  const marks = text.split('"cache_control":').slice(1);
  const isLong = marks.map((rest) => rest.startsWith('{"type":"ephemeral","ttl":"1h"}'));
  for (const rest of marks)
    if (!/^\{"type":"ephemeral"(?:,"ttl":"(?:5m|1h)")?\}/.test(rest)) problems.push('a cache mark is malformed');
  if (isLong.some((long, at) => long && isLong.slice(0, at).includes(false)))
    problems.push('a cache mark of 1h after one of 5m');
}

function checkMessage(value: unknown, at: number, hasTools: boolean, problems: string[]): void {
  const message = asFields(value);
  onlyFields(message, ['role', 'content'], `messages[${at}]`, problems);
  const role = message?.['role'];
  if (role !== 'user' && role !== 'assistant') problems.push(`messages[${at}] has the unknown role "${String(role)}"`);
  const blocks = blocksOf(message?.['content']);
  if (blocks.length === 0) problems.push(`messages[${at}] is empty`);
  for (const block of blocks) checkBlock(block, at, hasTools, problems);
}

function checkBlock(block: Fields, at: number, hasTools: boolean, problems: string[]): void {
  const where = `messages[${at}]`;
  switch (block['type']) {
    case 'text':
      // What the vendor itself wrote and cited may be blank.
      if (typeof block['text'] !== 'string' || (block['text'].trim() === '' && asList(block['citations']).length === 0))
        problems.push(`${where} has an empty text block`);
      return;
    case 'tool_use':
      onlyFields(block, ['type', 'id', 'name', 'input', 'caller', 'cache_control'], `a call of ${where}`, problems);
      if (!PLAIN_NAME.test(String(block['id'])))
        problems.push(`${where} has the illegal call id "${String(block['id'])}"`);
      if (!PLAIN_NAME.test(String(block['name'])))
        problems.push(`${where} has the illegal name "${String(block['name'])}"`);
      if (asFields(block['input']) === undefined) problems.push(`${where} has a call whose input is not an object`);
      if (!hasTools) problems.push(`${where} has a call, but the request has no tools`);
      return;
    case 'tool_result':
      onlyFields(
        block,
        ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
        `a result of ${where}`,
        problems,
      );
      return;
    case 'thinking':
      if (typeof block['signature'] !== 'string') problems.push(`${where} has thinking without a signature`);
      return;
    case 'server_tool_use':
    case 'mcp_tool_use':
      if (asFields(block['input']) === undefined) problems.push(`${where} has a server tool without input`);
      return;
    case 'redacted_thinking':
    case 'image':
    case 'document':
      return;
    default:
      if (String(block['type']).endsWith('_tool_result') && typeof block['tool_use_id'] === 'string') return;
      problems.push(`${where} has a block of the unknown type "${String(block['type'])}"`);
  }
}

function readTurn(message: Fields) {
  const blocks = blocksOf(message['content']);
  const kinds = blocks.map((block) => block['type']);
  return {
    role: String(message['role']),
    calls: blocks.flatMap((block) => (block['type'] === 'tool_use' ? [block['id']] : [])),
    results: blocks.flatMap((block) => (block['type'] === 'tool_result' ? [block['tool_use_id']] : [])),
    resultsFirst: kinds.lastIndexOf('tool_result') < kinds.filter((kind) => kind === 'tool_result').length,
  };
}
