// An agent from the JSON config of `prompt-agent`: its provider with retries, its model, its options. A loopback server plays the vendor.
import assert from 'node:assert/strict';
import { clientFromConfig, fromConfig } from '@kernel/agent/config';
import * as providers from '@kernel/providers';
import { startWireServer } from '@kernel/testing';

const server = await startWireServer({ replies: [{ text: 'Hello!' }] });
const file = {
  system_prompt: 'Be brief.',
  client: { timeout: '30s', retry: { max_retries: 2 } },
  provider: { name: 'openai', base_url: '${SERVER}', options: { token: 'a key' } },
  model: { name: 'a-model', capabilities: { chat: { temperature: 0 } } },
};

const { config, warnings } = fromConfig(JSON.stringify(file), { file: 'agent.json', env: { SERVER: server.baseUrl } });
assert.deepEqual(warnings, []);
const agent = clientFromConfig(config, providers);
console.log((await agent.chat('Hi')).text);
await server.close();
