import {
  asFields,
  checkModel,
  checkPromptCache,
  type Fields,
  onlyFields,
  PLAIN_NAME,
  problemsOf,
} from '../check-fields.ts';

const MESSAGE_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['system', ['role', 'content', 'name']],
  ['user', ['role', 'content', 'name']],
  ['assistant', 'role content name tool_calls reasoning reasoning_content reasoning_details refusal audio'.split(' ')],
  ['tool', ['role', 'content', 'tool_call_id']],
]);

/** Returns what is wrong with a chat-completions request, judged as strictly as the strictest server; empty if nothing. */
export function checkChatRequest(body: unknown): readonly string[] {
  return problemsOf(body, undefined, (fields, problems) => {
    checkModel(fields, problems);
    checkPromptCache(fields, problems);
    const names = checkTools(fields['tools'], problems);
    checkChoice(fields, names, problems);
    checkMessages(fields['messages'], problems);
  });
}

/** Returns what is wrong with a request for a batch, whose requests are in a file. */
export function checkBatchRequest(body: unknown): readonly string[] {
  const problems: string[] = [];
  onlyFields(body, ['input_file_id', 'endpoint', 'completion_window', 'metadata'], 'the body', problems);
  const fields = asFields(body) ?? {};
  if (typeof fields['input_file_id'] !== 'string') problems.push('input_file_id is missing');
  if (fields['completion_window'] !== '24h') problems.push('completion_window is not 24h');
  if (!['/v1/chat/completions', '/v1/responses', '/v1/embeddings'].includes(String(fields['endpoint'])))
    problems.push('endpoint is unknown');
  return problems;
}

function checkTools(tools: unknown, problems: string[]): ReadonlySet<string> {
  const names = new Set<string>();
  if (tools === undefined) return names;
  if (!Array.isArray(tools) || tools.length === 0) {
    problems.push('tools is missing, empty or not a list');
    return names;
  }
  for (const tool of tools) {
    const fn = asFields(asFields(tool)?.['function']);
    onlyFields(tool, ['type', 'function'], 'tool', problems);
    onlyFields(fn, ['name', 'description', 'parameters', 'strict'], 'function', problems);
    const name = fn?.['name'];
    if (typeof name !== 'string' || !PLAIN_NAME.test(name))
      problems.push(`a tool has the illegal name ${JSON.stringify(name)}`);
    else if (names.has(name)) problems.push(`two tools are named "${name}"`);
    else names.add(name);
    if (asFields(fn?.['parameters'])?.['type'] !== 'object')
      problems.push(`the parameters of ${String(name)} are not an object schema`);
  }
  return names;
}

function checkChoice(fields: Fields, names: ReadonlySet<string>, problems: string[]): void {
  const choice = fields['tool_choice'];
  if (choice !== undefined && names.size === 0) problems.push('tool_choice without tools');
  if (fields['parallel_tool_calls'] !== undefined && names.size === 0)
    problems.push('parallel_tool_calls without tools');
  const name = asFields(asFields(choice)?.['function'])?.['name'];
  if (asFields(choice) !== undefined && !(typeof name === 'string' && names.has(name))) {
    problems.push('tool_choice names a tool that the request does not offer');
  }
}

function checkMessages(messages: unknown, problems: string[]): void {
  if (!Array.isArray(messages) || messages.length === 0) {
    problems.push('messages is missing, empty or not a list');
    return;
  }
  let open = new Set<string>();
  for (const [at, entry] of messages.entries()) {
    const message = asFields(entry);
    const role = String(message?.['role']);
    const known = MESSAGE_FIELDS.get(role);
    if (message === undefined || known === undefined) {
      problems.push(`messages[${at}] has the unknown role "${role}"`);
      continue;
    }
    onlyFields(message, known, `messages[${at}]`, problems);
    if (role === 'tool') {
      const id = message['tool_call_id'];
      if (typeof id !== 'string' || !open.delete(id))
        problems.push(`messages[${at}] does not answer an open call: ${String(id)}`);
      if (message['content'] === undefined || message['content'] === null)
        problems.push(`messages[${at}] has no content`);
      continue;
    }
    for (const id of open) problems.push(`the call ${id} was not answered before messages[${at}]`);
    open = role === 'assistant' ? checkCalls(message, at, problems) : new Set();
  }
  for (const id of open) problems.push(`the call ${id} was not answered`);
}

function checkCalls(message: Fields, at: number, problems: string[]): Set<string> {
  const ids = new Set<string>();
  const calls = message['tool_calls'];
  if (calls === undefined) {
    const spoken = asFields(message['audio']);
    if (spoken !== undefined && typeof spoken['id'] !== 'string')
      problems.push(`messages[${at}] has audio without an id`);
    if (typeof message['content'] !== 'string' && spoken === undefined)
      problems.push(`messages[${at}] has neither content nor calls`);
    return ids;
  }
  for (const entry of Array.isArray(calls) ? calls : [undefined]) {
    const call = asFields(entry);
    const fn = asFields(call?.['function']);
    onlyFields(call, ['id', 'type', 'function', 'extra_content'], `a call of messages[${at}]`, problems);
    onlyFields(fn, ['name', 'arguments'], `a call of messages[${at}]`, problems);
    const id = call?.['id'];
    if (typeof id !== 'string' || id === '' || ids.has(id))
      problems.push(`messages[${at}] has an empty or repeated call id`);
    else ids.add(id);
    if (typeof fn?.['arguments'] !== 'string') problems.push(`messages[${at}] has a call whose arguments are not text`);
  }
  return ids;
}
