/* oxlint-disable import/no-unassigned-import -- the first chooses the transport, the second has the tests */
import '../use-fetch.ts';
import '../http/sockets.test.ts';
import '../http/sockets.system.test.ts';
