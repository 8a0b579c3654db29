/* oxlint-disable import/no-unassigned-import -- the first chooses the transport, the second has the tests */
import '../use-fetch.ts';
import '../http/timeouts-off.system.test.ts';
