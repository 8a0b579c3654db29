// What the pictures are drawn from: one workload for each point.
import { loops } from '../workloads/loop.js';
import { texts } from '../workloads/stream.js';

export const CONTENDERS = ['floor', 'ours', 'openai', 'ai-sdk'];

export const PLOTS = [
  {
    file: 'performance-tools',
    title: 'One loop of two turns against the number of tools on offer',
    x: 'tools',
    y: 'ms of CPU',
    values: [1, 4, 16, 64, 256, 1024],
    work: (toolCount) => loops({ turns: 1, times: 10, toolCount }),
  },
  {
    file: 'performance-turns',
    title: 'One conversation against its turns',
    x: 'turns',
    y: 'ms of CPU',
    values: [1, 4, 16, 64, 256],
    work: (turns) => loops({ turns, times: 2 }),
  },
  {
    file: 'performance-concurrency',
    title: 'Loops of two tool turns at once, streamed',
    x: 'loops at once',
    y: 'ms of CPU',
    values: [1, 4, 16, 64, 256],
    work: (atOnce) => loops({ turns: 2, times: 2, streamed: true, atOnce }),
  },
  {
    file: 'performance-size',
    title: 'One loop of two turns against the size of a result',
    x: 'bytes of the result',
    y: 'ms of CPU',
    values: [1024, 8192, 65_536, 524_288],
    work: (resultBytes) => loops({ turns: 1, times: 10, resultBytes }),
  },
  {
    file: 'performance-stream',
    title: 'One streamed answer against its pieces',
    x: 'pieces of text',
    y: 'ms of CPU',
    values: [64, 512, 4096, 32_768],
    work: (deltas) => texts(deltas),
  },
];

export const pointName = (plot, x) => `${plot.file} ${x}`;

/** In the form of workloads. */
export const POINTS = PLOTS.flatMap((plot) =>
  plot.values.map((x) => ({ name: pointName(plot, x), metric: 'cpuMs', work: plot.work(x) })),
);
