/** The programs of a model as a process: the outcome is what it prints. */
import { runPrograms } from './run-program.ts';

console.log(JSON.stringify(await runPrograms()));
