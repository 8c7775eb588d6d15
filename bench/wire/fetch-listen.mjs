import { listenHttp } from './http-listen.mjs';

/**
 * A bridge from node:http to libraries that take a web Request and give a Response: `answer(request)` resolves to one.
 * It does what the official SDK's own bridge does, with less: the body as text, a signal that aborts when the client
 * goes away, the response chunk by chunk. `accept` replaces what the client says it accepts.
 */
export function listenFetch(answer, accept) {
  listenHttp(async (request, response, body) => {
    const gone = new AbortController();
    response.on('close', () => response.writableFinished || gone.abort());
    const { status, headers, body: chunks } = await answer(webRequest(request, { body, accept, signal: gone.signal }));
    response.writeHead(status, Object.fromEntries(headers));
    if (chunks !== null) for await (const chunk of chunks) response.write(chunk);
    response.end();
  });
}

function webRequest({ method, url, headers }, { body, accept = headers.accept, signal }) {
  return new Request(`http://${headers.host}${url}`, { method, headers: { ...headers, accept }, body, signal });
}
