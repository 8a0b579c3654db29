/* oxlint-disable import/no-unassigned-import -- the first chooses the transport, the others have the tests */
import '../use-fetch.ts';
import '../wire/conformance.test.ts';
import '../wire/every-byte.slow.test.ts';
