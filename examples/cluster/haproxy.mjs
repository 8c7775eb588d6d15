/**
 * The configuration of HAProxy: any request goes to any process, in turn.
 * @param {{ port: number, statusPort: number, servers: readonly number[] }} ports
 */
export function haproxyConfiguration({ port, statusPort, servers }) {
  return `# Not for a public server as it is: it has neither TLS nor a log.
defaults
  mode http
  timeout connect 2s
  # Streams send a comment every 15 s. Calls that send nothing before their answer must be done within this time.
  timeout server 10m
  timeout client 10m
  timeout http-request 20s
  # A request that could not be sent goes to another process. One that was sent is never repeated: it may be half done.
  option redispatch 1
  retries 3
  retry-on conn-failure
  http-error status 502 content-type text/plain string "${ENDED}"
  http-error status 503 content-type text/plain string "${UNAVAILABLE}" hdr Retry-After 1
  http-error status 504 content-type text/plain string "${SILENT}"

frontend mcp
  bind 127.0.0.1:${port}
  default_backend processes

backend processes
  balance roundrobin
  option httpchk GET /health
  http-response set-header X-Served-By %s
  # The streams of a process that hangs are cut, so that clients resume them at another one.
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.map((serverPort, index) => `  server process-${index + 1} 127.0.0.1:${serverPort}`).join('\n')}

frontend status
  bind 127.0.0.1:${statusPort}
  stats enable
  stats uri /
  # With the addresses of the processes, which watch.mjs asks.
  stats show-legends
`;
}

const ENDED = 'The server process ended during the request. Part of the work may be done: repeat it if that is safe.';
const UNAVAILABLE = 'No server process is available. Try again.';
const SILENT = 'The server process sent nothing for too long.';
