// What our wires send is what the vendors' SDKs would: every body is checked against their types by the compiler.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message, ProviderRequest, Tool } from '@kernel/protocol';
import { createProviders, type CustomProviderConfig } from '@kernel/providers';
import { codeExecution, webSearch } from '@kernel/providers/anthropic';
import { googleSearch } from '@kernel/providers/gemini';
import { applyPatch, mcpServer, webSearch as openaiSearch } from '@kernel/providers/responses';
import { startWireServer, verifies, type WireName } from '@kernel/testing';
import { expect, test } from 'vitest';

const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;
const schema = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'], additionalProperties: false };
const add: Tool = { name: 'add', description: 'Adds.', parameters: schema, strict: true };
const calls = ['a', 'b'].map((id) => ({ type: 'tool-call', id, name: 'add', arguments: '{"x":1}' }) as const);
const messages: readonly Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Look.' }, image] },
  { role: 'assistant', content: [{ type: 'text', text: 'Let me see.' }, ...calls] },
  { role: 'tool', toolCallId: 'a', name: 'add', content: '2' },
  { role: 'tool', toolCallId: 'b', name: 'add', content: 'too big', isError: true },
  { role: 'user', content: 'Go on.' },
];
const REQUESTS: readonly Partial<ProviderRequest>[] = [
  { messages: [{ role: 'user', content: 'Hello' }] },
  { messages, tools: [add], toolChoice: 'auto', options: { temperature: 0.5, maxTokens: 100 } },
  { messages, tools: [add], toolChoice: { name: 'add' } },
  { messages, tools: [add], cache: { ttl: '1h', key: 'k', points: ['tools', 'previous', 'messages'] } },
  { messages: messages.slice(0, 2), responseFormat: { name: 'answer', schema, strict: true }, stream: false },
];

/** What one wire alone can say. */
const OWN: Partial<Record<WireName, readonly Partial<ProviderRequest>[]>> = {
  openai: [
    { options: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } } },
    {
      messages: [
        { role: 'user', content: 'Say hello.' },
        {
          role: 'assistant',
          provider: { vendor: 'openai', model: 'gpt-audio' },
          content: [
            { type: 'audio', mimeType: 'audio/wav', data: 'AAAA', transcript: 'Hello.', providerData: { id: 'a' } },
          ],
        },
        { role: 'user', content: 'Again.' },
      ],
    },
    { model: 'gpt-5.6', messages, tools: [add], cache: { points: ['system', 'previous', 'messages'] } },
  ],
  'openai-responses': [
    { options: { background: true } },
    {
      model: 'gpt-5.6',
      messages: messages.slice(0, -1),
      tools: [add],
      cache: { points: ['system', 'previous', 'messages'] },
    },
    { model: 'gpt-5.6', cache: 'off' },
  ],
};

/** The type of a body of each wire, and what a model of it is called. */
const TYPES: readonly (readonly [WireName, string, string, object])[] = [
  ['openai', "import('openai').default.ChatCompletionCreateParams", 'gpt-4.1', { quirks: { promptCache: true } }],
  [
    'openai-responses',
    "import('openai').default.Responses.ResponseCreateParams",
    'gpt-5',
    { serverTools: [openaiSearch(), applyPatch(), mcpServer({ name: 'a', url: 'https://a.test' })] },
  ],
  [
    'anthropic',
    "import('@anthropic-ai/sdk').default.MessageCreateParams & Sampling",
    'claude-opus-4-5',
    { token: 'k', serverTools: [webSearch({ maxUses: 3 }), codeExecution()] },
  ],
  ['gemini', 'GenerateContentRequest', 'gemini-3-pro', { token: 'k', serverTools: [googleSearch()] }],
  ['ollama', "import('ollama').ChatRequest", 'llama', {}],
  [
    'bedrock',
    "Omit<import('@aws-sdk/client-bedrock-runtime').ConverseRequest, 'modelId'>",
    'anthropic.claude-opus-4-5',
    { region: 'us-east-1', credentials: { accessKeyId: 'AKID', secretAccessKey: 's' } },
  ],
];

/** The types that no SDK exports as such. */
const PRELUDE = `
// Enumerations are their texts in JSON.
type Json<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
/** The REST form, of the SDK's own parts: https://ai.google.dev/api/generate-content#request-body */
interface GenerateContentRequest {
  contents: Json<import('@google/genai').Content>[];
  systemInstruction?: Json<import('@google/genai').Content>;
  tools?: Json<import('@google/genai').Tool>[];
  toolConfig?: Json<import('@google/genai').ToolConfig>;
  generationConfig?: Json<import('@google/genai').GenerationConfig>;
}
/** Fields that older models still take; the types are those of the newest. */
interface Sampling { temperature?: number; top_p?: number; top_k?: number }
`;

/** A body as source: bytes are base64 text in JSON, and an array in the types of Bedrock. */
function sourceOf(wire: WireName, body: unknown): string {
  const text = JSON.stringify(body);
  return wire === 'bedrock' ? text.replaceAll(/"bytes":"[^"]*"/g, '"bytes":new Uint8Array()') : text;
}

async function bodyOf(
  wire: WireName,
  model: string,
  config: object,
  request: Partial<ProviderRequest>,
): Promise<unknown> {
  const server = await startWireServer({ wire, replies: [{ text: 'ok' }], strict: false });
  try {
    const provider = createProviders().create<CustomProviderConfig>({ name: wire, baseUrl: server.baseUrl, ...config });
    for await (const _ of provider.stream({ model, messages, ...request }));
    return server.requests[0]?.body;
  } finally {
    await server.close();
  }
}

test('every body has the type that the vendor’s SDK gives it', { timeout: 240_000 }, async () => {
  verifies('mocks.sdks.bodies');
  const lines = [PRELUDE];
  let bodies = 0;
  for (const [wire, type, model, config] of TYPES) {
    for (const request of [...REQUESTS, ...(OWN[wire] ?? [])]) {
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      const body = await bodyOf(wire, model, config, request);
      expect([wire, body]).toEqual([wire, expect.any(Object)]);
      bodies += 1;
      lines.push(`export const body${bodies}: ${type} = ${sourceOf(wire, body)}; // ${wire}`);
    }
  }
  const folder = join(import.meta.dirname, 'node_modules/.cache/bodies');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bodies.ts'), lines.join('\n'));
  const flags = [
    '--ignoreConfig',
    '--singleThreaded',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    '',
  ];
  const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...flags, 'bodies.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stdout.replaceAll(/\{.{400,}?\}/g, '{…}')).toBe('');
  expect(status).toBe(0);
  expect(bodies).toBe(TYPES.length * REQUESTS.length + Object.values(OWN).flat().length);
});
