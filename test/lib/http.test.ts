import { getEventListeners } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  createHttpClient,
  type HttpClientOptions,
  type HttpRequest,
  type HttpResult,
  targetOf,
} from '../../src/lib/http/http.ts'
import { answer, listen } from './http-server.ts'

const BODY = Buffer.from('{"a":1}')

function client(options: Partial<HttpClientOptions> = {}) {
  return createHttpClient({ connections: 4, timeout: 5_000, ...options })
}

function post(origin: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'POST', origin, path: '/x', headers: { 'content-type': 'application/json' }, body: BODY, ...more }
}

/** What became of one request to a server that does this with each connection or request. */
async function resultOf(
  onRequest: (socket: Socket) => void,
  onConnection?: (socket: Socket) => void,
  options?: Partial<HttpClientOptions>,
): Promise<HttpResult> {
  await using server = await listen(onRequest, onConnection)
  await using http = client(options)
  const result = await http.send(post(server.origin))
  expect(server.requests.filter((text) => text.startsWith('POST')).length, 'never sent twice').toBeLessThan(2)
  return result
}

function brief(result: HttpResult): string {
  return result.type === 'answered' ? `answered ${result.answer.status}` : `${result.type} ${result.fault.code}`
}

const nothing = () => {}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a request that did not get out', () => {
  test('When nobody listens, then it is unsent', async () => {
    await using http = client()
    expect(brief(await http.send(post('http://127.0.0.1:1')))).toBe('unsent ECONNREFUSED')
  })

  test('When nobody listens at any address of the name, then the outage still has a message', async () => {
    await using http = client()
    const result = await http.send(post('http://localhost:1'))
    expect(result).toMatchObject({
      type: 'unsent',
      fault: { code: 'ECONNREFUSED', message: expect.stringMatching(/./) },
    })
  })

  test('When the name cannot be resolved, then it is unsent', async () => {
    const failed = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    await using http = client({ resolve: (_, __, callback) => callback(failed, []) })
    expect(brief(await http.send(post('http://bus.example')))).toBe('unsent ENOTFOUND')
  })

  test.each([
    ['answers in plain text', (socket: Socket) => socket.end(answer(400))],
    ['closes the connection', (socket: Socket) => socket.end()],
    ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
  ])('When the other side %s within the TLS handshake, then it is unsent', async (_, handshake) => {
    await using server = await listen(handshake)
    await using http = client()
    expect(await http.send(post(server.origin.replace('http', 'https')))).toMatchObject({ type: 'unsent' })
  })

  test('When connecting takes too long, then it is unsent', async () => {
    await using http = client({ resolve: nothing, timeout: 50 })
    expect(brief(await http.send(post('http://bus.example')))).toBe('unsent TIMEOUT')
  })

  test('When it is aborted before it began or while it connects, then it is unsent at once', async () => {
    await using http = client({ resolve: nothing })
    const controller = new AbortController()
    const connecting = http.send(post('http://bus.example', { signal: controller.signal }))
    controller.abort()
    expect(brief(await connecting)).toBe('unsent ABORTED')
    expect(brief(await http.send(post('http://bus.example', { signal: controller.signal })))).toBe('unsent ABORTED')
  })

  test('When it is aborted while it waits for a connection, then it is never sent, and the connection serves on', async () => {
    const first = Promise.withResolvers<Socket>()
    await using server = await listen((socket, request) =>
      request.startsWith('POST /1') ? first.resolve(socket) : socket.write(answer(200)),
    )
    await using http = client({ connections: 1 })
    const controller = new AbortController()
    const [one, two, three] = [
      http.send(post(server.origin, { path: '/1' })),
      http.send(post(server.origin, { path: '/2', signal: controller.signal })),
      http.send(post(server.origin, { path: '/3' })),
    ]
    const socket = await first.promise
    controller.abort()
    expect(brief(await two)).toBe('unsent ABORTED')
    socket.write(answer(200))
    expect([brief(await one), brief(await three)]).toEqual(['answered 200', 'answered 200'])
    expect([server.requests.length, server.connections.length]).toEqual([2, 1])
  })

  test('When a header cannot be written, then it is unsent', async () => {
    await using server = await listen(nothing)
    await using http = client()
    const result = await http.send(post(server.origin, { headers: { 'x-a': 'a\r\nb' } }))
    expect(brief(result)).toBe('unsent UND_ERR_INVALID_ARG')
  })
})

describe('a request that was on the wire', () => {
  test.each([
    ['closes when the request arrives', (socket: Socket) => socket.end()],
    ['resets when the request arrives', (socket: Socket) => socket.resetAndDestroy()],
    ['answers what is not HTTP', (socket: Socket) => socket.end('whsec_ in no protocol\r\n\r\n')],
    ['closes within the status line', (socket: Socket) => socket.end('HTTP/1.1 20')],
    ['closes within the headers', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
    ['sends headers without end', (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`)],
    ['announces early hints and closes', (socket: Socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')],
    [
      'switches the protocol',
      (socket: Socket) => socket.end('HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
  ])('When the other side %s, then it is unanswered', async (_, onRequest) => {
    expect(await resultOf(onRequest)).toMatchObject({ type: 'unanswered' })
  })

  test('When the other side closes as soon as it is connected, then it may have been sent: unanswered', async () => {
    expect(await resultOf(nothing, (socket) => socket.end())).toMatchObject({ type: 'unanswered' })
  })

  test('When no answer comes in time, then it is unanswered', async () => {
    expect(brief(await resultOf(nothing, nothing, { timeout: 50 }))).toBe('unanswered TIMEOUT')
  })

  test('When it is aborted, then it is unanswered at once, and its connection is closed', async () => {
    const arrived = Promise.withResolvers<Socket>()
    await using server = await listen(arrived.resolve)
    await using http = client()
    const controller = new AbortController()
    const sending = http.send(post(server.origin, { signal: controller.signal }))
    const socket = await arrived.promise
    const closed = new Promise((resolve) => socket.once('close', resolve))
    controller.abort()
    expect(brief(await sending)).toBe('unanswered ABORTED')
    await closed
  })

  test('When a kept connection closes as the next request is sent, then that one is unanswered, not sent again', async () => {
    await using server = await listen((socket) =>
      server.requests.length === 1 ? socket.write(answer(200)) : socket.destroy(),
    )
    await using http = client({ connections: 1 })
    expect(brief(await http.send(post(server.origin)))).toBe('answered 200')
    expect(await http.send(post(server.origin))).toMatchObject({ type: 'unanswered' })
    expect(brief(await http.send(post(server.origin)))).toMatch(/^unanswered/)
    expect(server.requests).toHaveLength(3)
  })
})

describe('half an answer', () => {
  const half = 'HTTP/1.1 201 Created\r\ncontent-length: 100\r\nretry-after: 5\r\n\r\n{"id":'

  test.each([
    ['closes', (socket: Socket) => socket.end(half)],
    ['resets', (socket: Socket) => socket.write(half, () => setImmediate(() => socket.resetAndDestroy()))],
    [
      'closes a chunked body',
      (socket: Socket) => socket.end('HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n6\r\n{"id":\r\n'),
    ],
    [
      'breaks the chunking',
      (socket: Socket) => socket.end('HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n'),
    ],
  ])('When the other side %s within the body, then it is cut, with status and headers', async (_, onRequest) => {
    const result = await resultOf(onRequest)
    expect(result).toMatchObject({ type: 'cut', answer: { status: 201, headers: expect.any(Object), complete: false } })
  })

  test('When the body stalls, then it is cut', async () => {
    const result = await resultOf((socket) => socket.write(half), nothing, { timeout: 50 })
    expect(result).toMatchObject({
      type: 'cut',
      fault: { code: 'TIMEOUT' },
      answer: { headers: { 'retry-after': '5' } },
    })
    expect(String(result.type === 'cut' && result.answer.body)).toBe('{"id":')
  })

  test('When the body drips for longer than the timeout, then it is cut all the same', async () => {
    const drip = (socket: Socket) => {
      socket.write(half)
      const timer = setInterval(() => socket.write(' '), 10)
      socket.on('close', () => clearInterval(timer))
    }
    expect(brief(await resultOf(drip, nothing, { timeout: 100 }))).toBe('cut TIMEOUT')
  })
})

describe('a full answer', () => {
  test.each([
    ['with a length', answer(202, 'yes'), 202, 'yes'],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nye\r\n1\r\ns\r\n0\r\n\r\n', 200, 'yes'],
    ['after early hints', `HTTP/1.1 103 Early Hints\r\n\r\n${answer(200, 'yes')}`, 200, 'yes'],
    ['of a refusal', answer(422, 'no'), 422, 'no'],
  ])('When it comes %s, then it is answered', async (_, bytes, status, body) => {
    const result = await resultOf((socket) => socket.write(bytes))
    expect(result).toMatchObject({ type: 'answered', answer: { status, complete: true } })
    expect(String(result.type === 'answered' && result.answer.body)).toBe(body)
  })

  test('When its end is the end of the connection, then it is answered', async () => {
    expect(brief(await resultOf((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nyes')))).toBe('answered 200')
  })

  test('When it redirects, then the redirect is the answer', async () => {
    await using target = await listen((socket) => socket.write(answer(200)))
    const result = await resultOf((socket) => socket.write(answer(308, '', `location: ${target.origin}\r\n`)))
    expect([brief(result), target.connections.length]).toEqual(['answered 308', 0])
  })

  test('When it is long, then its beginning is kept, it counts as answered, and the connection is kept', async () => {
    await using server = await listen((socket) => socket.write(answer(200, 'x'.repeat(65_536))))
    await using http = client({ connections: 1 })
    for (const keep of [1_024, 0, 100_000]) {
      const result = await http.send(post(server.origin, { keep }))
      const kept = result.type === 'answered' ? [result.answer.body.length, result.answer.complete] : result
      expect(kept).toEqual([Math.min(keep, 65_536), keep > 65_536])
    }
    expect(server.connections).toHaveLength(1)
  })

  test('When it has no end, then it is answered, and the connection is closed instead of read', async () => {
    const closed = Promise.withResolvers<number>()
    await using server = await listen((socket) => {
      socket.on('close', () => closed.resolve(socket.bytesWritten))
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n')
      const pour = () => {
        while (!socket.destroyed && socket.write('x'.repeat(16_384)));
      }
      socket.on('drain', pour)
      pour()
    })
    await using http = client()
    const result = await http.send(post(server.origin))
    expect(result).toMatchObject({ type: 'answered', answer: { status: 200, complete: false } })
    expect(await closed.promise).toBeLessThan(50_000_000)
  })

  test('When a body is asked for in pieces, then it stays in them; what is refused comes as one', async () => {
    const text = 'row,'.repeat(500_000)
    await using server = await listen((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`),
    )
    await using refusing = await listen((socket) => socket.write(answer(400)))
    await using http = client()
    const wanted = { inPieces: true, keep: 10_000_000 }
    const taken = await http.send(post(server.origin, wanted))
    const refused = await http.send(post(refusing.origin, wanted))

    if (taken.type !== 'answered' || refused.type !== 'answered') throw new Error('Both are answered.')
    const { pieces = [], body, complete } = taken.answer
    expect([pieces.length > 2, Buffer.concat(pieces).toString() === text, body.length, complete]).toEqual([
      ...[true, true, 0, true],
    ])
    expect(refused.answer).toMatchObject({ status: 400, complete: true })
    expect(refused.answer.pieces).toBeUndefined()
  })

  test('When requests share a signal, then no listener is left on it', async () => {
    const { signal } = new AbortController()
    await using server = await listen((socket) => socket.write(answer(200)))
    await using http = client()
    await http.send(post(server.origin, { signal }))
    await http.send(post('http://127.0.0.1:1', { signal }))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('the connections', () => {
  test('When many requests are sent at once, then no more connections than allowed are made, and each is kept', async () => {
    await using server = await listen((socket) => socket.write(answer(200)))
    await using http = client({ connections: 3 })
    const results = await Promise.all(Array.from({ length: 30 }, () => http.send(post(server.origin))))
    expect(results.map(brief)).toEqual(Array(30).fill('answered 200'))
    expect(server.connections).toHaveLength(3)
  })

  test('When the environment names a proxy, then it is not used', async () => {
    await using proxy = await listen(nothing)
    for (const name of ['HTTP_PROXY', 'http_proxy', 'NODE_USE_ENV_PROXY']) vi.stubEnv(name, proxy.origin)
    expect(brief(await resultOf((socket) => socket.write(answer(200))))).toBe('answered 200')
    expect(proxy.connections).toEqual([])
  })

  test('When the client is disposed, then what is under way ends by its stage, sockets close, and it sends no more', async () => {
    const arrived = Promise.withResolvers<Socket>()
    await using server = await listen(arrived.resolve)
    const http = client({ connections: 1, resolve: nothing })
    const [sent, waiting, connecting] = [post(server.origin), post(server.origin), post('http://bus.example')].map(
      http.send,
    )
    const socket = await arrived.promise
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await http[Symbol.asyncDispose]()
    await closed
    const types = (await Promise.all([sent, waiting, connecting])).map((result) => result?.type)
    expect(types).toEqual(['unanswered', 'unsent', 'unsent'])
    expect(brief(await http.send(post(server.origin)))).toBe('unsent UND_ERR_DESTROYED')
    await http[Symbol.asyncDispose]()
  })
})

test('When the client is disposed within a TLS handshake, then that socket is closed at once as well', async () => {
  const [arrived, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using server = await listen(
    () => arrived.resolve(),
    (socket) => socket.on('close', closed.resolve),
  )
  const http = client()
  const sending = http.send(post(server.origin.replace('http', 'https')))
  await arrived.promise
  await http[Symbol.asyncDispose]()
  expect(await sending).toMatchObject({ type: 'unsent' })
  await closed.promise
})

test('A URL is taken apart into origin, and path with query', () => {
  expect(targetOf('https://Bus.Example:443/a b?c=ä')).toEqual({
    origin: 'https://bus.example',
    path: '/a%20b?c=%C3%A4',
  })
})
