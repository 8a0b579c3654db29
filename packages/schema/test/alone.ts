import { coerceValue, compileSchema } from '@kernel/schema';

const validator = compileSchema({
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
});

const [issue] = validator.issues({ city: 'Lisbon', days: 0 });
if (issue?.path !== '/days' || issue.keyword !== 'minimum') throw new Error(JSON.stringify(issue));

const { value, repairs } = coerceValue({ city: 'Lisbon', days: '3' }, validator);
if (JSON.stringify(value) !== '{"city":"Lisbon","days":3}') throw new Error(JSON.stringify(value));
if (repairs[0]?.rule !== 'string-to-number') throw new Error(JSON.stringify(repairs));
console.log('alone: ok');
