// A tool that uses every field of a definition.
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const notes = new Map<string, string>();

const saveNote = defineTool({
  name: 'save_note',
  description: 'Saves a note under a title. Saving again under a title replaces the note.',
  effect: 'write',
  input: z.object({
    title: z.string().min(1).describe('A few words.'),
    text: z.string(),
    priority: z.enum(['low', 'normal', 'high']).default('normal'),
  }),
  handler({ title, text, priority }, { conversation }) {
    notes.set(title, text);
    return `Saved "${title}" (${priority}) for ${conversation?.chatId ?? 'nobody in particular'}.`;
  },
  timeoutMs: 2_000,
  concurrency: { key: ({ title }) => title },
  metadata: {
    category: 'utility',
    usageHint: 'Use when the user asks to remember something.',
    examples: [{ description: 'remember the milk', input: { title: 'milk', text: 'Buy milk.' } }],
  },
});

const registry = createRegistry([saveNote]);
const conversation = { channel: 'chat', chatId: '7' };
const saved = await registry.execute('save_note', { title: 'milk', text: 'Buy milk.' }, { conversation });
console.log(saved.forLLM); // Saved "milk" (normal) for 7.

const wrong = await registry.execute('save_note', '{"title": "milk", "text": "x", "priority": "hihg"}');
console.log(wrong.forLLM); // … /priority: expected one of "low", "normal", "high", got "hihg" (did you mean "high"?).

if (saved.forLLM !== 'Saved "milk" (normal) for 7.' || !wrong.forLLM.includes('did you mean "high"?'))
  process.exitCode = 1;
