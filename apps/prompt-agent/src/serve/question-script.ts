/** The part of the page's script that asks what MCP servers want to know. Nothing gets the focus: no key that is meant for the message decides. */
export const QUESTION_SCRIPT = String.raw`
const questions = new Map();

function askForServer({ id, lines, yes, fields, url }) {
  const box = add('server-question');
  questions.set(id, box);
  const put = (name, className, text) => {
    const element = document.createElement(name);
    element.className = className;
    element.textContent = text;
    box.append(element);
    return element;
  };
  for (const line of lines) put('div', 'line', line);
  if (url !== undefined) {
    const link = put('a', 'open', 'open it in a new window');
    link.href = url;
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  const inputs = fields.map(({ name, about, hint }) => {
    const label = put('label', 'field', about);
    const input = document.createElement('input');
    input.placeholder = hint;
    label.append(input);
    return [name, input];
  });
  const problem = put('div', 'error', '');
  const decide = put('div', 'decide', '');
  const answer = async (accept) => {
    const values = Object.fromEntries(inputs.map(([name, input]) => [name, input.value]));
    const headers = { authorization: 'Bearer ' + token };
    const response = await fetch('/answers', { method: 'POST', body: JSON.stringify({ id, accept, values }), headers });
    if (!response.ok) problem.textContent = (await response.json()).error.message;
  };
  const buttons = [[true, yes], [false, 'No']].map(([accept, text]) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = text;
    button.addEventListener('click', () => void answer(accept));
    return button;
  });
  decide.replaceChildren(...buttons);
}

/** The question was answered, here or elsewhere, or is not asked any more. */
function endQuestion({ id }) {
  const box = questions.get(id);
  questions.delete(id);
  if (box !== undefined) box.querySelector('.decide').replaceChildren('asked and done');
}
`;
