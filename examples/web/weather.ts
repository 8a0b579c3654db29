/** What the web examples share: a tool that is always allowed, one that a person decides on, and something in place of a model. */
import type { Provider } from '@kernel/protocol';
import { type ScriptStep, scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

export const sent: string[] = [];

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
      sent.push(to);
      return 'Sent.';
    },
  }),
]);

/** Instead of a model: one that looks up the weather and answers. With `breaksOff`, its first answer stops in the middle and never goes on. */
export function weatherModel({ breaksOff = false } = {}): Provider {
  const look: ScriptStep = {
    text: 'Let me look. ',
    pieces: 3,
    calls: [{ name: 'weather', arguments: { city: 'Oslo' } }],
  };
  const answer: ScriptStep = { text: 'It is 3 °C in Oslo.', pieces: 4 };
  return scriptedProvider([look, ...(breaksOff ? [{ text: 'It is', hang: true }] : []), answer]);
}
