// A program that uses this package alone. Packed, installed, type-checked and run by scripts/rehearse.ts.
import { scriptedProvider } from '@kernel/testing';

const provider = scriptedProvider([{ text: 'Hello' }]);
const kinds: string[] = [];
for await (const event of provider.stream({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }))
  kinds.push(event.type);
provider.assertDone();
console.log(kinds); // [ 'text-delta', 'message-end' ]
