/* oxlint-disable import/no-unassigned-import -- the first chooses the transport, the second has the tests */
import '../use-fetch.ts';
import '../batches/batches.test.ts';
import '../batches/batches.system.test.ts';
