// One contender of one workload, in a process of its own: runs when it is told to, and tells what it cost and what it made.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { measure, measureMemory } from './measure.js';
import { POINTS } from './plots/points.js';
import { WORKLOADS } from './workloads.js';

const [, , workload, name, port] = process.argv;
const { metric, work: prepare } = [...WORKLOADS, ...POINTS].find((one) => one.name === workload);
const work = await prepare(await import(`./contenders/${name}.js`), Number(port));

process.on('message', (share) => {
  void (async () => {
    try {
      if (metric === 'memory') {
        const { value, grownMiB } = await measureMemory(() => measure(work));
        process.send({ cpuMs: value.cpuMs, wallMs: value.wallMs, grownMiB, made: value.value });
        return;
      }
      const delay = monitorEventLoopDelay({ resolution: 2 });
      delay.enable();
      const { value, ...cost } = await measure(() => work(share));
      delay.disable();
      const own = typeof value === 'object' ? value : { made: value };
      process.send({ ...cost, blockedMs: delay.max / 1e6, ...own });
    } catch (error) {
      process.send({ fault: String(error?.stack ?? error) });
    }
  })();
});
process.on('disconnect', () => process.exit(0));
process.send('ready');
