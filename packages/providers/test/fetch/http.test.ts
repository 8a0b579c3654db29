import '../use-fetch.ts';
import '../http/http.test.ts';
