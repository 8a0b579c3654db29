// The vendors' own SDKs talk to the wire server: what it accepts and what it answers is what they send and read.
import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { startWireServer, verifies, type WireName, type WireReply } from '@kernel/testing';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const description = 'Tells the weather.';
const REPLY: WireReply = {
  text: 'Let me see, äöü 🌍.',
  pieces: 4,
  calls: [{ id: 'call_1', name: 'weather', arguments: { city: 'Zürich' } }],
  usage: { inputTokens: 12, outputTokens: 7 },
};

/** What an SDK read of the reply. */
interface Read {
  readonly text: string;
  readonly calls: readonly (readonly [string, unknown])[];
  readonly tokens: readonly (number | undefined)[];
}

type ReadWith = (url: string, stream: boolean) => Promise<Read>;

const client = { apiKey: 'test', maxRetries: 0 };

const readChat: ReadWith = async (baseURL, stream) => {
  const openai = new OpenAI({ ...client, baseURL });
  const tools = [{ type: 'function' as const, function: { name: 'weather', description, parameters } }];
  const messages = [{ role: 'user' as const, content: 'How is it?' }];
  const body = { model: 'm', messages, tools };
  const completion = stream
    ? await openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } }).finalChatCompletion()
    : await openai.chat.completions.create(body);
  const [choice] = completion.choices;
  return {
    text: choice?.message.content ?? '',
    calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [[call.function.name, JSON.parse(call.function.arguments)] as const] : [],
    ),
    tokens: [completion.usage?.prompt_tokens, completion.usage?.completion_tokens],
  };
};

const readResponses: ReadWith = async (baseURL, stream) => {
  const openai = new OpenAI({ ...client, baseURL });
  const tools = [{ type: 'function' as const, name: 'weather', description, parameters, strict: false }];
  const body = { model: 'm', input: [{ role: 'user' as const, content: 'How is it?' }], tools };
  const response = stream ? await openai.responses.stream(body).finalResponse() : await openai.responses.create(body);
  return {
    text: response.output
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .map((part) => ('text' in part ? part.text : ''))
      .join(''),
    calls: response.output.flatMap((item) =>
      item.type === 'function_call' ? [[item.name, JSON.parse(item.arguments)] as const] : [],
    ),
    tokens: [response.usage?.input_tokens, response.usage?.output_tokens],
  };
};

const readMessages: ReadWith = async (baseURL, stream) => {
  const anthropic = new Anthropic({ ...client, baseURL });
  const tools = [{ name: 'weather', description, input_schema: parameters as unknown as Anthropic.Tool.InputSchema }];
  const body = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: 'How is it?' }], tools };
  const message = stream ? await anthropic.messages.stream(body).finalMessage() : await anthropic.messages.create(body);
  return {
    text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: message.content.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.input] as const] : [])),
    tokens: [message.usage.input_tokens, message.usage.output_tokens],
  };
};

const readGemini: ReadWith = async (baseUrl, stream) => {
  const { models } = new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl } });
  const functionDeclarations = [{ name: 'weather', description, parametersJsonSchema: parameters }];
  const body = { model: 'm', contents: 'How is it?', config: { tools: [{ functionDeclarations }] } };
  const chunks = [];
  if (stream) for await (const chunk of await models.generateContentStream(body)) chunks.push(chunk);
  else chunks.push(await models.generateContent(body));
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  const usage = chunks.at(-1)?.usageMetadata;
  return {
    text: parts.map((part) => part.text ?? '').join(''),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [[functionCall.name ?? '', functionCall.args] as const],
    ),
    tokens: [usage?.promptTokenCount, usage?.candidatesTokenCount],
  };
};

const readOllama: ReadWith = async (host, stream) => {
  const ollama = new Ollama({ host });
  const tools = [
    { type: 'function', function: { name: 'weather', description, parameters: { ...parameters, required: ['city'] } } },
  ];
  const body = { model: 'm', messages: [{ role: 'user', content: 'How is it?' }], tools };
  const chunks = [];
  if (stream) for await (const chunk of await ollama.chat({ ...body, stream: true })) chunks.push(chunk);
  else chunks.push(await ollama.chat(body));
  const last = chunks.at(-1);
  return {
    text: chunks.map(({ message }) => message.content).join(''),
    calls: chunks.flatMap(({ message }) =>
      (message.tool_calls ?? []).map((call) => [call.function.name, call.function.arguments] as const),
    ),
    tokens: [last?.prompt_eval_count, last?.eval_count],
  };
};

const readConverse: ReadWith = async (endpoint, stream) => {
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret' };
  const bedrock = new BedrockRuntimeClient({
    endpoint,
    region: 'us-east-1',
    credentials,
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
  });
  const input = {
    modelId: 'm',
    messages: [{ role: 'user' as const, content: [{ text: 'How is it?' }] }],
    toolConfig: {
      tools: [
        { toolSpec: { name: 'weather', description, inputSchema: { json: { ...parameters, required: ['city'] } } } },
      ],
    },
  };
  if (!stream) {
    const { output, usage } = await bedrock.send(new ConverseCommand(input));
    const content = output?.message?.content ?? [];
    return {
      text: content.map((block) => block.text ?? '').join(''),
      calls: content.flatMap(({ toolUse }) =>
        toolUse === undefined ? [] : [[toolUse.name ?? '', toolUse.input] as const],
      ),
      tokens: [usage?.inputTokens, usage?.outputTokens],
    };
  }
  let text = '';
  let name = '';
  let json = '';
  const tokens: (number | undefined)[] = [];
  const { stream: events } = await bedrock.send(new ConverseStreamCommand(input));
  for await (const event of events ?? []) {
    text += event.contentBlockDelta?.delta?.text ?? '';
    name += event.contentBlockStart?.start?.toolUse?.name ?? '';
    json += event.contentBlockDelta?.delta?.toolUse?.input ?? '';
    if (event.metadata !== undefined)
      tokens.push(event.metadata.usage?.inputTokens, event.metadata.usage?.outputTokens);
  }
  return { text, calls: [[name, JSON.parse(json)]], tokens };
};

const SDKS: readonly (readonly [string, WireName, ReadWith])[] = [
  ['openai, chat completions', 'openai', readChat],
  ['openai, Responses', 'openai-responses', readResponses],
  ['@anthropic-ai/sdk', 'anthropic', readMessages],
  ['@google/genai', 'gemini', readGemini],
  ['ollama', 'ollama', readOllama],
  ['@aws-sdk/client-bedrock-runtime', 'bedrock', readConverse],
];

describe.each(SDKS)('%s reads the wire server', (_name, wire, read) => {
  test.each([
    ['streamed', true],
    ['whole', false],
  ])('a reply with text, a call and usage, %s', async (_how, stream) => {
    verifies('mocks.sdks.read');
    const server = await startWireServer({ wire, replies: [REPLY] });
    try {
      const url = wire === 'anthropic' ? server.url : wire.startsWith('openai') ? server.baseUrl : server.url;
      expect(await read(url, stream)).toEqual({
        text: 'Let me see, äöü 🌍.',
        calls: [['weather', { city: 'Zürich' }]],
        tokens: [12, 7],
      });
      expect(server.requests).toHaveLength(1);
    } finally {
      await server.close();
    }
  });
});
