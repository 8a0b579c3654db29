// Opens the session of a path, says how that went, and holds it until its standard input ends.
import { KernelError } from '@kernel/protocol';
import { openFileSession } from '../../src/session/file-session.ts';

const [path = ''] = process.argv.slice(2);
try {
  const session = await openFileSession(path);
  console.log('opened');
  process.stdin.resume().on('end', () => void session.close());
} catch (error) {
  console.log(KernelError.is(error) ? error.code : String(error));
}
