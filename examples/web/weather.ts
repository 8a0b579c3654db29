/** What the web examples share: a tool that is always allowed, one that a person decides on, and something in place of a model. */
import type { Provider } from '@kernel/protocol';
import { type ScriptStep, scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

export const sentMailTo: string[] = [];

export const tools = createRegistry([
  defineTool({
    name: 'weather',
    description: 'Tells the weather of a city.',
    effect: 'read',
    input: z.object({ city: z.string() }),
    handler: ({ city }) => ({ city, celsius: 3 }),
  }),
  defineTool({
    name: 'send_mail',
    description: 'Sends a mail.',
    effect: 'external',
    input: z.object({ to: z.string(), text: z.string() }),
    handler: ({ to }) => {
      sentMailTo.push(to);
      return 'Sent.';
    },
  }),
]);

/** Stands in for a model: looks up the weather, then answers. With `stalls`, its first answer stops midway and never ends. */
export function weatherProvider({ stalls = false } = {}): Provider {
  const look: ScriptStep = {
    text: 'Let me look. ',
    pieces: 3,
    calls: [{ name: 'weather', arguments: { city: 'Oslo' } }],
  };
  const answer: ScriptStep = { text: 'It is 3 °C in Oslo.', pieces: 4 };
  return scriptedProvider([look, ...(stalls ? [{ text: 'It is', hang: true }] : []), answer]);
}
