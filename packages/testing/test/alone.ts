// What a user of this package alone writes. Packed, installed, type-checked and run by scripts/rehearse.ts.
import { scriptedProvider } from '@kernel/testing';

const provider = scriptedProvider([{ text: 'Hello' }]);
const kinds: string[] = [];
for await (const event of provider.stream({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }))
  kinds.push(event.type);
provider.assertDone();
if (kinds.join() !== 'text-delta,message-end') throw new Error(kinds.join());
console.log('alone: ok');
