import '../use-fetch.ts';
import '../http/sockets.test.ts';
