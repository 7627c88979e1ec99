import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { close, listen } from '../../src/app/traffic-switch.ts'
import { markAuthenticated } from '../../src/http/refusals.ts'
import { createPipeliningGuard } from '../../src/http/server.ts'

const MANY = 2_000
const GET = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n'
const POST = 'POST /webhooks/SaleCreated HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}'

for (const [who, text, most] of [
  ['a stranger', GET, 2],
  ['a stranger with bodies', POST, 2],
  ['a known sender', GET, 6],
] as const)
  test(`When ${who} sends thousands of requests in one breath, then Node hands over few of them, each time`, async () => {
    await using server = await serve(who === 'a known sender')
    for (const _ of ['first', 'again']) {
      server.handedOver = 0
      const socket = connect(server.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.resume()
      socket.write(text.repeat(MANY))
      await new Promise((resolve) => socket.once('close', resolve))
      expect(server.handedOver).toBeLessThanOrEqual(most)
      expect(server.refused).toContain('pipelined')
    }
  })

/** A server that counts what Node hands over, and what was refused. */
async function serve(knows: boolean) {
  const seen = { handedOver: 0, refused: [] as string[] }
  const mayAsk = createPipeliningGuard((why) => void seen.refused.push(why))
  const server: Server = createServer((request, response) => {
    if (!mayAsk(request, response)) return
    if (knows) markAuthenticated(request, response, 'key')
    setImmediate(() => response.end('right'))
  })
  server.on('request', () => {
    seen.handedOver += 1
  })
  const url = await listen(server, { host: '127.0.0.1', port: 0 })
  return Object.assign(seen, { port: Number(new URL(url).port), [Symbol.asyncDispose]: () => close(server, 1_000) })
}
