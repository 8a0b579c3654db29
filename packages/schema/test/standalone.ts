import { coerceValue, compileSchema } from '@kernel/schema';

const validator = compileSchema({
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
});

const [issue] = validator.issues({ city: 'Lisbon', days: 0 });
console.log(issue?.path, issue?.keyword); // /days minimum

const { value, repairs } = coerceValue({ city: 'Lisbon', days: '3' }, validator);
console.log(value, repairs[0]?.rule); // { city: 'Lisbon', days: 3 } string-to-number
