import { asFields, asList, checkModel, checkTool, type Fields, problemsOf } from '../check-fields.ts';
import type { WireReply } from '../reply.ts';
import { splitText } from '../../split-text.ts';
import { finishWordOf, type FinishWords, idOf, inputOf, json, type WireFormat } from '../wire-format.ts';

const FINISH: FinishWords = {
  stop: 'stop',
  'tool-calls': 'stop',
  length: 'length',
  'content-filter': 'stop',
  refusal: 'stop',
  other: 'load',
};

export const ollamaFormat: WireFormat = {
  name: 'ollama',
  matches: (pathname) => /\/api\/(?:chat|embed|tags)$/.test(pathname),
  check: (body, pathname) => (pathname.endsWith('/chat') ? problemsOf(body, undefined, checkRequest) : []),
  write(reply, body, pathname) {
    if (pathname.endsWith('/tags')) return json({ models: [{ name: 'wire-model', model: 'wire-model' }] });
    if (pathname.endsWith('/embed')) {
      const inputs = [body['input']].flat();
      const embeddings = inputs.map((text, at) => [String(text).length, at]);
      return json({ model: body['model'], embeddings, prompt_eval_count: inputs.length });
    }
    const line = (message: object, rest: object = { done: false }): object => ({
      model: body['model'],
      created_at: '2026-01-01T00:00:00Z',
      message: { role: 'assistant', content: '', ...message },
      ...rest,
    });
    const end = { done: true, done_reason: finishWordOf(reply, FINISH), ...usageOf(reply) };
    if (body['stream'] === false) {
      return json(line(Object.fromEntries(messages(reply, 1).flatMap((each) => Object.entries(each))), end));
    }
    const lines = [...messages(reply, reply.pieces).map((message) => line(message)), line({}, end)];
    const chunks = lines.map((each) => `${JSON.stringify(each)}\n`);
    return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, chunks };
  },
  refuse: (status, message) => json({ error: message }, status),
};

function messages(reply: WireReply, pieces: number | undefined): readonly object[] {
  const calls = (reply.calls ?? []).map((call, at) => ({
    id: idOf(call, at),
    function: { index: at, name: call.name, arguments: inputOf(call) },
  }));
  return [
    ...splitText(reply.reasoning ?? '', pieces).map((thinking) => ({ thinking })),
    ...splitText(reply.text ?? '', pieces).map((content) => ({ content })),
    ...(calls.length === 0 ? [] : [{ tool_calls: calls }]),
  ];
}

function usageOf({ usage }: WireReply): object {
  return usage === undefined ? {} : { prompt_eval_count: usage.inputTokens, eval_count: usage.outputTokens };
}

function checkRequest(fields: Fields, problems: string[]): void {
  checkModel(fields, problems);
  const names = new Set<string>();
  for (const tool of asList(fields['tools'])) {
    const fn = asFields(asFields(tool)?.['function']);
    checkTool(fn?.['name'], fn?.['parameters'], /[\s\S]/, names, problems);
  }
  let open: readonly string[] = [];
  for (const [at, entry] of asList(fields['messages']).entries()) {
    const message = asFields(entry) ?? {};
    const role = String(message['role']);
    if (!['system', 'user', 'assistant', 'tool'].includes(role))
      problems.push(`messages[${at}] has the unknown role "${role}"`);
    if (typeof message['content'] !== 'string') problems.push(`messages[${at}] has content that is not text`);
    if (role === 'tool') {
      const name = typeof message['tool_name'] === 'string' ? message['tool_name'] : open[0];
      if (open.length === 0) problems.push(`messages[${at}] does not answer an open call`);
      else if (name === undefined || !open.includes(name))
        problems.push(`messages[${at}] answers "${name ?? ''}", not one of ${open.join()}`);
      open = open.toSpliced(Math.max(0, open.indexOf(name ?? '')), 1);
      continue;
    }
    if (open.length > 0) problems.push(`messages[${at}] comes before the results of ${open.join()}`);
    open = asList(message['tool_calls']).map((call) => {
      const fn = asFields(asFields(call)?.['function']);
      // The real server answers a string here with 400.
      if (asFields(fn?.['arguments']) === undefined)
        problems.push(`messages[${at}] has a call whose arguments are not an object`);
      return String(fn?.['name']);
    });
  }
  if (open.length > 0) problems.push(`the calls ${open.join()} were not answered`);
}
