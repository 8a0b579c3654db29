import { type RawReply, startWireServer, type WireServer } from '@kernel/testing';

const json = (text: string): RawReply => ({ headers: { 'content-type': 'application/json' }, chunks: [text] });

/** Stands in for OpenAI's batches: answers each request with the length of its question, except the empty ones, and is done when asked the second time. */
export function startBatchServer(): Promise<WireServer> {
  let lines: readonly string[] = [];
  let asked = 0;
  return startWireServer({
    wire: 'openai',
    replies: ({ bytes, method, path }) => {
      if (path === '/v1/files') {
        lines = new TextDecoder()
          .decode(bytes)
          .split('\n')
          .filter((line) => line.startsWith('{"custom_id"'));
        return json('{"id":"file-in"}');
      }
      if (path.endsWith('/content')) return { chunks: [lines.map((line) => `${answer(line)}\n`).join('')] };
      if (method === 'GET') asked += 1;
      const state = asked < 2 ? '"in_progress"' : '"completed","output_file_id":"file-out"';
      return json(`{"id":"batch_1","object":"batch","status":${state}}`);
    },
  });
}

function answer(line: string): string {
  const [, id] = /"custom_id":"([^"]+)"/.exec(line) ?? [];
  const [, question = ''] = /"role":"user","content":"([^"]*)"/.exec(line) ?? [];
  const isEmpty = question === '';
  const message = { role: 'assistant', content: `${question.length} characters` };
  const reply = {
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 5, completion_tokens: 2 },
  };
  const body = isEmpty ? { error: { message: 'The question is empty.' } } : reply;
  return JSON.stringify({ custom_id: id, response: { status_code: isEmpty ? 400 : 200, body }, error: null });
}
