import { asFields, asList, checkTool, type Fields, onlyFields, problemsOf } from '../check-fields.ts';
import type { WireReply } from '../reply.ts';
import { splitText } from '../../split-text.ts';
import { events, finishWordOf, type FinishWords, idOf, inputOf, json, type WireFormat } from '../wire-format.ts';

const FINISH: FinishWords = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  refusal: 'PROHIBITED_CONTENT',
  other: 'OTHER',
};
const BODY = 'contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent'.split(' ');
const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

export const geminiFormat: WireFormat = {
  name: 'gemini',
  matches: (pathname) =>
    /:(?:streamGenerateContent|generateContent|batchGenerateContent|batchEmbedContents|countTokens)$|\/upload\/v1beta\/files$|\/v1beta\/(?:batches|cachedContents)\/[^/]+$|\/v1beta\/cachedContents$/.test(
      pathname,
    ),
  check(body, pathname) {
    if (['EmbedContents', ':cancel', '/files'].some((end) => pathname.endsWith(end))) return [];
    if (pathname.endsWith('/cachedContents')) return checkCachedContent(body);
    if (pathname.endsWith(':batchGenerateContent')) return checkBatch(body);
    return pathname.endsWith(':countTokens') ? checkCount(body, pathname) : checkRequest(body);
  },
  write(reply, body, pathname) {
    if (pathname.endsWith(':countTokens')) return json({ totalTokens: reply.usage?.inputTokens ?? 1 });
    if (pathname.endsWith('EmbedContents')) return json({ embeddings: asList(body['requests']).map(embedding) });
    const finish = finishWordOf(reply, FINISH);
    if (pathname.endsWith(':generateContent')) {
      return json(chunk(parts(reply, 1), finish, usageOf(reply)));
    }
    const all = parts(reply, reply.pieces);
    const last = chunk([], finish, usageOf(reply));
    return events([...all.map((part) => chunk([part])), last].map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`));
  },
  refuse: (status, message) => json({ error: { code: status, message, status: 'INVALID_ARGUMENT' } }, status),
};

function checkCachedContent(body: unknown): readonly string[] {
  const problems: string[] = [];
  const known = 'model contents systemInstruction tools toolConfig displayName ttl expireTime'.split(' ');
  onlyFields(body, known, 'the body', problems);
  const { model, ttl, ...content } = asFields(body) ?? {};
  if (typeof model !== 'string' || !model.startsWith('models/')) problems.push('model is not a resource name');
  if (ttl !== undefined && !/^"\d+(?:\.\d{1,9})?s"$/.test(JSON.stringify(ttl))) problems.push('ttl is no duration');
  if (content['contents'] === undefined && content['systemInstruction'] === undefined)
    problems.push('there is nothing to store');
  return problems;
}

function chunk(list: readonly object[], finishReason?: string, usageMetadata?: object): object {
  const content = { role: 'model', parts: list };
  return {
    candidates: [{ content, index: 0, finishReason }],
    usageMetadata,
    modelVersion: 'wire-model',
  };
}

function parts(reply: WireReply, pieces: number | undefined): readonly object[] {
  return [
    ...splitText(reply.reasoning ?? '', pieces).map((text) => ({ text, thought: true })),
    ...splitText(reply.text ?? '', pieces).map((text) => ({ text })),
    ...(reply.calls ?? []).map((call, at) => ({
      functionCall: { id: idOf(call, at), name: call.name, args: inputOf(call) },
      thoughtSignature: at === 0 ? 'sig-wire' : undefined,
    })),
  ];
}

function usageOf({ usage }: WireReply): object | undefined {
  if (usage === undefined) return undefined;
  const thoughts = usage.reasoningTokens;
  return {
    promptTokenCount: usage.inputTokens,
    candidatesTokenCount: usage.outputTokens - (thoughts ?? 0),
    totalTokenCount: usage.inputTokens + usage.outputTokens,
    thoughtsTokenCount: thoughts,
    cachedContentTokenCount: usage.cachedInputTokens,
  };
}

function embedding(request: unknown, at: number): object {
  const [part] = asList(asFields(asFields(request)?.['content'])?.['parts']);
  return { values: [String(asFields(part)?.['text']).length, at] };
}

/** A batch has requests of its own, each with its model and a key. */
function checkBatch(body: unknown): readonly string[] {
  const problems: string[] = [];
  onlyFields(body, ['batch'], 'the body', problems);
  const batch = asFields(asFields(body)?.['batch']);
  onlyFields(batch, ['displayName', 'inputConfig'], 'batch', problems);
  const list = asList(asFields(asFields(batch?.['inputConfig'])?.['requests'])?.['requests']);
  if (list.length === 0) problems.push('the batch has no requests');
  for (const entry of list) {
    onlyFields(entry, ['request', 'metadata'], 'a request', problems);
    const { model, ...request } = asFields(asFields(entry)?.['request']) ?? {};
    if (typeof model !== 'string' || !model.startsWith('models/')) problems.push('a request names no model');
    problems.push(...checkRequest(request));
  }
  return problems;
}

/** A count takes the whole request, which names its model once more. */
function checkCount(body: unknown, pathname: string): readonly string[] {
  const problems: string[] = [];
  onlyFields(body, ['generateContentRequest'], 'the body', problems);
  const { model, ...request } = asFields(asFields(body)?.['generateContentRequest']) ?? {};
  if (typeof model !== 'string' || !pathname.endsWith(`/${model}:countTokens`))
    problems.push('model is not that of the path');
  return [...problems, ...checkRequest(request)];
}

function checkRequest(body: unknown): readonly string[] {
  return problemsOf(body, BODY, checkContents);
}

function checkContents(fields: Fields, problems: string[]): void {
  if (fields['cachedContent'] !== undefined)
    for (const key of ['systemInstruction', 'tools', 'toolConfig'])
      if (fields[key] !== undefined) problems.push(`${key} beside cachedContent`);
  const names = new Set<string>();
  for (const entry of asList(fields['tools'])) {
    for (const tool of asList(asFields(entry)?.['functionDeclarations'])) {
      onlyFields(tool, ['name', 'description', 'parametersJsonSchema'], 'tool', problems);
      const schema = asFields(tool)?.['parametersJsonSchema'];
      checkTool(asFields(tool)?.['name'], schema, NAME, names, problems);
      const refused = /"(\$ref|\$defs|const|oneOf|allOf|exclusiveMinimum|exclusiveMaximum|patternProperties)":/.exec(
        JSON.stringify(schema),
      );
      if (refused !== null) problems.push(`a schema has the keyword ${refused[1] ?? ''}`);
    }
  }
  const contents = asList(fields['contents']);
  if (contents.length === 0) problems.push('contents is missing, empty or not a list');
  let open: readonly unknown[] = [];
  for (const [at, entry] of contents.entries()) open = checkContent(asFields(entry) ?? {}, at, open, problems);
  if (open.length > 0) problems.push(`${open.length} calls were not answered`);
}

function checkContent(content: Fields, at: number, open: readonly unknown[], problems: string[]): readonly unknown[] {
  const role = content['role'];
  if (role !== 'user' && role !== 'model') problems.push(`contents[${at}] has the unknown role "${String(role)}"`);
  const list = asList(content['parts']).map((part) => asFields(part) ?? {});
  if (list.length === 0) problems.push(`contents[${at}] has no parts`);
  const named = (key: string): readonly unknown[] =>
    list.flatMap((part) => (part[key] === undefined ? [] : [asFields(part[key])?.['name']]));
  const results = named('functionResponse');
  if (results.join() !== open.join())
    problems.push(`contents[${at}] answers [${results.join()}], not the calls [${open.join()}] of the previous turn`);
  for (const part of list) {
    if (part['functionCall'] !== undefined && asFields(asFields(part['functionCall'])?.['args']) === undefined)
      problems.push(`contents[${at}] has a call whose args are not an object`);
    if (
      part['functionResponse'] !== undefined &&
      asFields(asFields(part['functionResponse'])?.['response']) === undefined
    )
      problems.push(`contents[${at}] has a result that is not an object`);
  }
  return named('functionCall');
}
