// The twenty tools of the agent workloads, in the form that each contender wants.
const parameters = {
  type: 'object',
  properties: {
    a: { type: 'string', description: 'What to look for in the records of the archive.' },
    b: { type: 'number', description: 'How many records to give at most.' },
    c: { type: 'string', enum: ['up', 'down'], description: 'In which order.' },
    d: { type: 'array', items: { type: 'string' }, description: 'The fields to give.' },
  },
  required: ['a', 'b'],
  additionalProperties: false,
};

export const TOOLS = Array.from({ length: 20 }, (_, at) => ({
  name: `tool_${at}`,
  description: `Looks up records of kind ${at} in the archive and gives them as text, newest first.`,
  parameters,
}));

const RECORD =
  'A record of the archive: a title, a date, an author and the first words of its text, as people write them. ';

/** About 450 characters: what a tool that looks something up gives. */
export const resultOf = ({ a, b }) => `found ${b} of ${a}\n${RECORD.repeat(4)}`;

const LARGER = {
  type: 'object',
  properties: {
    ...parameters.properties,
    e: { type: 'string', description: 'After which day, as YYYY-MM-DD.' },
    f: { type: 'boolean', description: 'Whether to give the text too.' },
    g: { type: 'integer', minimum: 0, description: 'How many to skip.' },
    h: { type: 'array', items: { type: 'string' }, description: 'Only of these authors.' },
  },
  required: ['a', 'b', 'e', 'f'],
  additionalProperties: false,
};

/** The same with eight fields. */
export const LARGER_TOOLS = TOOLS.map((tool) => ({ ...tool, parameters: LARGER }));

/** An object of about 450 characters as JSON. */
export const objectOf = ({ a, b, e }) => ({
  query: a,
  total: b,
  since: e,
  records: [
    { id: 1, title: 'A record of the archive', authors: ['Ada', 'Grace'], date: '2026-01-01', words: RECORD },
    { id: 2, title: 'Another record of it', authors: ['Edsger'], date: '2026-01-02', words: RECORD },
  ],
});
