/** The program as a process: the addresses are its argument, the outcome is what it prints. */
import { type Addresses, runToolLoops } from './tool-loop.ts';

const [addresses = '{}'] = process.argv.slice(2);
console.log(JSON.stringify(await runToolLoops(JSON.parse(addresses) as Addresses)));
