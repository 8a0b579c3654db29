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

export const WIRE_TOOLS = TOOLS.map((tool) => ({ type: 'function', function: { ...tool, strict: false } }));

const RECORD =
  'A record of the archive: a title, a date, an author and the first words of its text, as people write them. ';

/** About 450 characters: what a tool that looks something up gives. */
export const resultOf = ({ a, b }) => `found ${b} of ${a}\n${RECORD.repeat(4)}`;
