// Draws how the cost grows: CPU against tools, turns, concurrency and size, one picture each, in docs/pictures.
// Also prints the exponent of each line: 1 is linear.
import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { median } from './measure.js';
import { CONTENDERS, PLOTS, pointName } from './plots/points.js';
import { lineChart } from './plots/line-chart.js';

const RUNS = 5;
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const pictures = file('../../docs/pictures');
const message = (child) =>
  new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`A process ended with ${code}.`)));
    child.once('message', resolve);
  });

const server = fork(file('server.js'));
const port = await message(server);
mkdirSync(pictures, { recursive: true });
for (const plot of PLOTS) {
  const lines = [];
  for (const contender of CONTENDERS) {
    const points = [];
    for (const x of plot.values) points.push([x, await cost(pointName(plot, x), contender)]);
    const exponent = slope(points.slice(-3));
    lines.push({ name: contender, points, exponent });
    console.log(
      `${plot.file} ${contender}: ${points.map(([x, y]) => `${x} → ${y.toFixed(2)} ms`).join(', ')}; exponent of the last three ${exponent.toFixed(2)}`,
    );
  }
  writeFileSync(`${pictures}/${plot.file}.svg`, lineChart({ title: plot.title, x: plot.x, y: plot.y, lines }));
}
server.disconnect();

/** Median CPU milliseconds of one run in a process of its own. */
async function cost(name, contender) {
  const child = fork(file('contender.js'), [name, contender, String(port)], { execArgv: ['--expose-gc'] });
  await message(child);
  const results = [];
  for (let at = -2; at < RUNS; at += 1) {
    const answer = message(child);
    child.send(1);
    const { fault, cpuMs, times = 1 } = await answer;
    if (fault !== undefined) throw new Error(`${name}, ${contender}: ${fault}`);
    if (at >= 0) results.push(cpuMs / times);
  }
  child.disconnect();
  return median(results);
}

/** The slope of a line through the points in the plane of logarithms. */
function slope(points) {
  const at = points.map(([x, y]) => [Math.log(x), Math.log(y)]);
  const mean = (index) => at.reduce((sum, point) => sum + point[index], 0) / at.length;
  const [x, y] = [mean(0), mean(1)];
  const above = at.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return above / at.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}
