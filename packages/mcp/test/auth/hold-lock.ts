// Holds the turn of a token file until it is killed: `hold-lock.ts <file>`. Prints a line when it has it.
import { fileTokenStore } from '../../src/auth/index.ts';

await fileTokenStore(process.argv[2] ?? '').exclusively('a server', () => {
  console.log('held');
  return new Promise((resolve) => void setTimeout(resolve, 600_000));
});
