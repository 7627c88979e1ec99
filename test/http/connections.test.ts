import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { close, listen } from '../../src/app/traffic-switch.ts'
import { markAuthenticated } from '../../src/http/refusals.ts'
import { createPipeliningGuard, watchConnections } from '../../src/http/server.ts'
import { eventually } from '../eventually.ts'
import { connectTo } from './raw.ts'

const MAX = 10

/** A server that knows its callers by a header, and answers each at once. */
async function serve() {
  const refused: string[] = []
  const guard = createPipeliningGuard((why) => void refused.push(why))
  const server = createServer((request, response) => {
    if (!guard(request, response)) return
    markAuthenticated(request, response, String(request.headers['x-who']))
    response.end('right')
  })
  const watched = watchConnections(server, {
    most: MAX,
    identify: 60_000,
    cutOldest: () => false,
    refused: (why) => void refused.push(why),
  })
  const url = await listen(server, { host: '127.0.0.1', port: 0 })
  return {
    url,
    refused,
    count: watched.count,
    async [Symbol.asyncDispose]() {
      watched[Symbol.dispose]()
      await close(server, 0)
    },
  }
}

async function call(url: string, who: string) {
  const socket = await connectTo(url)
  const ask = async () => {
    await socket.write(`GET / HTTP/1.1\r\nHost: hub\r\nx-who: ${who}\r\n\r\n`)
    return await socket.answer(/right$/)
  }
  expect(await ask()).toContain('200 OK')
  return { ...socket, ask }
}

test('a crowd that showed a credential and fell silent makes room for others, the credential with most connections first', async () => {
  await using server = await serve()
  using stack = new DisposableStack()
  const honest = [stack.use(await call(server.url, 'platform')), stack.use(await call(server.url, 'platform'))]
  for (let nth = 0; nth < MAX * 3; nth++) stack.use(await call(server.url, 'leaked'))
  await eventually(() => expect(server.count()).toBeLessThanOrEqual(MAX))
  expect(server.refused).toContain('too-many-connections')
  for (const one of honest) expect(await one.ask()).toContain('200 OK')
})

test('of one credential the connection that was idle longest makes room', async () => {
  await using server = await serve()
  using stack = new DisposableStack()
  const all = []
  for (let nth = 0; nth < MAX; nth++) all.push(stack.use(await call(server.url, 'platform')))
  const [first, second] = all
  await first?.ask()
  stack.use(await call(server.url, 'platform'))
  expect(await second?.answer()).not.toMatch(/right.*right/s)
  expect(await first?.ask()).toContain('200 OK')
})
