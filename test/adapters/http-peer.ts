import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type Call, createWatch, type Peer, type Situation, servePeer, type Transport } from './peer.ts'

/** What the HTTP peer can be told: an answer (without `body` it says the request back), or a way to fail. */
export type HttpScript =
  | { status: number; headers?: Record<string, string>; body?: string | Buffer }
  | 'inactivity'
  | 'close'
  | 'reset'
  | 'half'
  | 'garbage'
  | 'endless'

/** A scriptable HTTP server on loopback. It takes any path, and counts its connections. */
export async function startHttpPeer(): Promise<Peer<HttpScript>> {
  const watch = createWatch()
  const calls: Call[] = []
  let script: HttpScript = { status: 202 }

  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const line = `${request.method} ${request.url}`
      const call = { line, headers: flat(request), body }
      calls.push(call)
      perform(script, call, response)
      watch.changed()
    }, ignore)
  })
  const play = (next: HttpScript) => {
    script = next
  }
  return await servePeer(server, 'http', { calls, play, watch })
}

const HOUR_AHEAD = Math.floor(Date.now() / 1000) * 1000 + 3_600_000

const answers: Situation<HttpScript>[] = [
  ...[200, 201, 202, 204].map((status) => ({ status, expected: 'delivered' as const })),
  ...[400, 401, 403, 404, 410, 413, 422].map((status) => ({ status, expected: 'permanent' as const })),
  ...[408, 409, 425, 500, 501].map((status) => ({ status, expected: 'item' as const })),
  ...[429, 502, 503, 504].map((status) => ({ status, expected: 'destination' as const })),
].map(({ status, expected }) => ({ name: `answers ${status}`, script: { status }, expected }))

const failures: Situation<HttpScript>[] = [
  {
    name: 'answers 429 with Retry-After in seconds',
    script: { status: 429, headers: { 'retry-after': '120' } },
    expected: 'destination',
    notBefore: { in: 120 },
  },
  {
    name: 'answers 503 with Retry-After as a date',
    script: { status: 503, headers: { 'retry-after': new Date(HOUR_AHEAD).toUTCString() } },
    expected: 'destination',
    notBefore: { at: HOUR_AHEAD },
  },
  {
    name: 'answers 307 to another path of its own',
    script: { status: 307, headers: { location: '/elsewhere?token=1' } },
    expected: 'permanent',
  },
  { name: 'never answers', script: 'inactivity', expected: 'unknown', timeout: 100 },
  { name: 'closes the connection instead of an answer', script: 'close', expected: 'unknown' },
  { name: 'resets the connection instead of an answer', script: 'reset', expected: 'unknown' },
  { name: 'answers something that is not HTTP, with the request in it', script: 'garbage', expected: 'unknown' },
  { name: 'breaks off within its answer', script: 'half', expected: 'unknown' },
  { name: 'answers 64 KB', script: { status: 200, body: Buffer.alloc(65_536, 'x') }, expected: 'delivered' },
  { name: 'answers without end', script: 'endless', expected: 'delivered' },
  {
    name: 'refuses without end of control characters',
    script: { status: 400, body: '\0\n\x1b'.repeat(9_999) },
    expected: 'permanent',
  },
]

export const httpTransport: Transport<HttpScript> = {
  start: startHttpPeer,
  accept: { status: 200 },
  inactivity: 'inactivity',
  situations: [...answers, ...failures],
  unreachable: [
    { name: 'nobody listens', address: 'http://127.0.0.1:1' },
    { name: 'the name does not exist', address: 'http://nowhere.invalid' },
  ],
}

/** What no HTTP adapter takes as its `url`. */
export const BAD_ADDRESSES = [
  { key: 'url', why: 'is missing', value: undefined },
  { key: 'url', why: 'is no URL', value: 'bus.example.com/hook' },
  { key: 'url', why: 'is of another scheme', value: 'ftp://bus.example.com' },
  { key: 'url', why: 'has a user and a password', value: 'https://me:password@bus.example.com' },
  { key: 'url', why: 'has a fragment', value: 'https://bus.example.com/#part' },
  { key: 'url', why: 'is link-local', value: 'http://169.254.169.254/latest' },
]

function perform(script: HttpScript, call: Call, response: ServerResponse): void {
  const socket = response.socket ?? new Socket()
  const echo = `${call.line} ${JSON.stringify(call.headers)} ${call.body}`
  if (typeof script === 'object') {
    response.writeHead(script.status, script.headers).end(script.status === 204 ? undefined : (script.body ?? echo))
  } else if (script === 'close') socket.end()
  else if (script === 'reset') socket.resetAndDestroy()
  else if (script === 'half') socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n${echo}`)
  else if (script === 'garbage') socket.end(`${echo}\r\n\r\n`)
  else if (script === 'endless') pour(response.writeHead(200))
}

function pour(response: ServerResponse): void {
  const bucket = Buffer.alloc(16_384, 'x')
  while (response.socket && response.write(bucket));
  if (response.socket) response.once('drain', () => pour(response))
}

function flat({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

function ignore(): void {}
