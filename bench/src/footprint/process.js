// A whole process: `bare`, with the library imported, or with the first loop of one tool turn run. Prints its CPU milliseconds.
import { resultOf, TOOLS } from '../tools.js';

const [, , name, mode, port] = process.argv;
if (mode !== 'bare') {
  const { loop } = await import(`../contenders/${name}.js`);
  if (mode === 'first') {
    const url = `http://127.0.0.1:${port}/loop/1`;
    const once = await loop(url, { turns: 1, streamed: true, tools: TOOLS, handler: resultOf });
    const answer = await once();
    if (answer !== 'answer after 1') throw new Error(`An answer of ${answer}`);
  }
}
const { user, system } = process.cpuUsage();
process.stdout.write(String((user + system) / 1000), () => process.exit(0));
