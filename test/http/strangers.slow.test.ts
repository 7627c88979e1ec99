import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { brotliCompressSync, constants } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { ADMIN_TOKEN, keptIn, startTestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { connectTo, head } from './raw.ts'

const MB = 1024 * 1024

type Written = NonNullable<NonNullable<NonNullable<Parameters<typeof startTestHub>[0]>['config']>['server']>

const SHOP = {
  adapter: 'woocommerce',
  url: 'http://127.0.0.1:1',
  consumerKey: 'ck_of_nobody',
  consumerSecret: 'cs_of_nobody',
  webhookSecret: 'a secret that nobody guesses',
}

/** What a shop sends, unsigned, when a webhook is saved there. */
const PING = 'POST /intake/shop HTTP/1.1\r\nHost: hub\r\nContent-Length: 12\r\n\r\nwebhook_id=1'

function hubWith(server: Written) {
  return startTestHub({ config: { server } })
}

describe('connections', () => {
  test('when a stranger asks, then the connection ends with the answer; whoever has shown a credential keeps it', async () => {
    await using hub = await startTestHub()
    expect((await hub.ask('/health/live')).headers.connection).toBe('close')
    expect((await hub.post('SaleCreated', sale(), { token: 'wrong' })).headers.connection).toBe('close')
    expect((await hub.ask('/nothing')).headers.connection).toBe('close')
    const { headers } = await hub.post('SaleCreated', sale())
    expect(headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=75' })
    expect((await hub.admin('status')).headers.connection).toBe('keep-alive')
  })

  test('when a token is wrong on a connection that is known, then it ends all the same', async () => {
    await using hub = await startTestHub()
    using connection = await connectTo(hub.url)
    const wrong = head('SaleCreated', { 'content-length': 2 }).replace(WEBHOOK_TOKEN, 'wrong')
    await connection.write(`${head('SaleCreated', { 'content-length': 2 })}{}`)
    await connection.write(`${wrong}{}`)
    expect(await connection.answer()).toMatch(/^HTTP\/1\.1 202 [\s\S]*HTTP\/1\.1 401 [\s\S]*Connection: close/)
  })

  test('when a known connection is idle for longer than headers may take, then it is kept', async () => {
    await using hub = await hubWith({ timeouts: { headers: '1s', identify: '1s', keepAlive: '1m' } })
    using idle = await connectTo(hub.url)
    await idle.write(`${head('StockCountReconciled', { 'content-length': 7 })}{"n":1}`)
    await idle.answer(/"id":1\}/)
    using stranger = await connectTo(hub.url)

    // The stranger came later, and is gone: so the idle one has outlasted both.
    // On a busy machine the server itself may be the first to end it, with words.
    expect(await stranger.answer()).toMatch(/^(HTTP\/1\.1 408 [\s\S]*)?$/)
    await idle.write(`${head('StockCountReconciled', { 'content-length': 7 })}{"n":2}`)
    expect(await idle.answer(/"id":2\}/)).toMatch(/"id":2\}$/)
  })

  test('when strangers hold more connections than there may be, then the oldest of them make room for an honest sender', async () => {
    await using hub = await hubWith({ limits: { connections: 20 } })
    await using crowd = await openCrowd(hub.url, 50)
    expect(await hub.post('SaleCreated', sale())).toMatchObject({ status: 202 })
    await eventually(() => expect(crowd.closed()).toBeGreaterThanOrEqual(30))
    expect(
      hub.lines.filter(({ msg, why }) => msg === 'request.refused' && why === 'too-many-connections'),
    ).toMatchObject([{ level: 40, from: [{ address: expect.stringMatching(/127\.0\.0\.1$/) }] }])
  })

  test('when strangers ping the intake of a shop, then they are strangers still, and make room for an honest sender', async () => {
    await using hub = await startTestHub({
      destinations: { shop: SHOP },
      config: { server: { limits: { connections: 20 } } },
    })
    const strangers = await Promise.all(Array.from({ length: 20 }, () => connectTo(hub.url)))
    await Promise.all(strangers.map((stranger) => stranger.write(PING)))
    for (const stranger of strangers)
      expect(await stranger.answer(/"ids"/)).toMatch(
        /^HTTP\/1\.1 200 [\s\S]*Connection: close[\s\S]*"status":"nothing"/,
      )
    expect(await hub.post('SaleCreated', sale())).toMatchObject({ status: 202 })
    expect(hub.lines.filter(({ msg }) => msg === 'intake.taken')).toEqual([])
  })

  test('when a stranger says nothing, half a head, or a head byte by byte, then it is closed in time', async () => {
    await using hub = await hubWith({ timeouts: { identify: '2s', headers: '1s' } })
    const said = ['', 'POST /webhooks/SaleCreated HTTP/1.1\r\nHost: hub\r\n', 'P']
    const connections = await Promise.all(said.map(() => connectTo(hub.url)))
    await Promise.all(said.map((text, index) => connections[index]?.write(text)))
    const answers = await Promise.all(connections.map((connection) => connection.answer()))
    expect(answers[1]).toMatch(/^HTTP\/1\.1 408 |^$/)
    expect(hub.lines.some(({ msg }) => msg === 'request.refused')).toBe(true)
  })
})

describe('requests behind each other', () => {
  test('when a stranger sends a second request without waiting for the first answer, then the connection ends', async () => {
    await using hub = await startTestHub()
    using connection = await connectTo(hub.url)
    await connection.write('GET /health/live HTTP/1.1\r\nHost: hub\r\n\r\n'.repeat(500))
    await connection.answer()
    expect((await hub.admin('status')).body).toMatchObject({ requests: { refused: { pipelined: 1 } } })
  })

  test('when a known sender sends hundreds, then some are taken, the connection ends, and what was answered is kept', async () => {
    await using hub = await startTestHub()
    using connection = await connectTo(hub.url)
    const one = (n: number) => `${head('StockCountReconciled', { 'content-length': 9 })}{"n":${100 + n}}`
    await connection.write(one(0))
    await connection.answer(/"id":1\}/)
    await connection.write(Array.from({ length: 300 }, (_, n) => one(n + 1)).join(''))
    const ids = (await connection.answer()).match(/"id":\d+\}/g) ?? []
    expect(keptIn(hub).length).toBeGreaterThanOrEqual(ids.length)
    expect(ids.length).toBeLessThan(100)
  })

  test('when the name of a kind is no UTF-8, then the webhook is taken under what is written', async () => {
    await using hub = await startTestHub()
    const { status, body } = await hub.post('%ff%', { a: 1 })
    expect(status).toBe(202)
    expect(keptIn(hub)).toMatchObject([{ id: body.id, kind: '%ff%' }])
  })
})

describe('bodies', () => {
  test('when a known sender sends a body too slowly, then it is told so, and nothing is kept', async () => {
    await using hub = await hubWith({ timeouts: { body: '1s' } })
    using connection = await connectTo(hub.url)
    await connection.write(`${head('SaleCreated', { 'content-length': 100 })}{`)
    expect(await connection.answer()).toMatch(/^HTTP\/1\.1 408 [\s\S]*Connection: close[\s\S]*"code":"too-slow"/)
    expect(keptIn(hub)).toEqual([])
  })

  test('when more is in flight than may be, then a large body is told to come again, and small ones are taken', async () => {
    await using hub = await hubWith({ maxBody: '2mb', limits: { inFlightBytes: '3mb', reserve: '1mb' } })
    const holders = await Promise.all([connectTo(hub.url), connectTo(hub.url)])
    for (const holder of holders)
      await holder.write(`${head('SaleCreated', { 'content-length': 1_500_000 })}${'x'.repeat(1_000_000)}`)

    // Else the large one takes the room of the holders, and they are refused.
    await eventually(async () =>
      expect((await hub.admin('status')).body).toMatchObject({ requests: { inFlightBytes: 2_000_000 } }),
    )
    const large = await hub.post('SaleCreated', 'x'.repeat(1_000_000))
    expect(large.status).toBe(503)
    expect(large).toMatchObject({ headers: { 'retry-after': '5' }, body: { code: 'over-budget' } })
    expect(await hub.post('SaleCreated', sale())).toMatchObject({ status: 202 })
    for (const holder of holders) holder.breakOff()
    await eventually(async () => expect((await hub.post('SaleCreated', 'x'.repeat(1_000_000))).status).toBe(202))
  })

  test('when many small bodies would become large ones, then memory is bounded, and small ones are taken', async () => {
    await using hub = await hubWith({ maxBody: '4mb', limits: { inFlightBytes: '8mb', reserve: '4mb' } })
    const bomb = brotliCompressSync(Buffer.alloc(16 * MB, '['), { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    const bombs = Array.from({ length: 40 }, () =>
      hub.post('SaleCreated', bomb, { headers: { 'content-encoding': 'br' } }),
    )
    const honest = await Promise.all(
      Array.from({ length: 20 }, (_, n) => hub.post('SaleCreated', sale({ receiptNo: `H-${n}` }))),
    )
    expect(honest.map(({ status }) => status)).toEqual(Array(20).fill(202))
    for (const { status } of await Promise.all(bombs)) expect([413, 503]).toContain(status)
  })
})

describe('refusals', () => {
  test('when many are refused, then they are counted, and the log has one line, with their address', async () => {
    await using hub = await startTestHub()
    for (let n = 0; n < 20; n++) await hub.post('SaleCreated', sale(), { token: `wrong-${n}` })
    await hub.ask('/admin/status', { headers: { authorization: 'Bearer wrong' } })
    expect(hub.lines.filter(({ msg }) => msg === 'request.refused')).toMatchObject([
      { level: 40, why: 'wrong-token', count: 1, from: [{ address: expect.stringMatching(/127\.0\.0\.1$/) }] },
    ])
    expect((await hub.admin('status')).body).toMatchObject({ requests: { refused: { 'wrong-token': 21 } } })
  })

  test('when a proxy is trusted, then each sender behind it has wrong tokens of its own', async () => {
    await using hub = await hubWith({ trustProxy: ['loopback'] })
    const from = (address: string) =>
      hub.post('SaleCreated', sale(), { token: 'wrong', headers: { 'x-forwarded-for': address } })
    for (let n = 0; n < 30; n++) expect(await from('203.0.113.7')).toMatchObject({ status: 401 })
    expect(await from('203.0.113.7')).toMatchObject({ status: 429 })
    expect(await from('203.0.113.8')).toMatchObject({ status: 401 })
  })

  test('when somebody else forwards addresses, then nobody believes them', async () => {
    await using hub = await startTestHub()
    const from = (address: string) =>
      hub.ask('/admin/status', { headers: { authorization: 'Bearer wrong', 'x-forwarded-for': address } })
    for (let n = 0; n < 30; n++) await from(`203.0.113.${n}`)
    expect(await from('203.0.113.99')).toMatchObject({ status: 429 })
    expect(await hub.ask('/admin/status', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).toMatchObject({
      status: 200,
    })
  })
})

async function openCrowd(url: string, count: number): Promise<AsyncDisposable & { closed(): number }> {
  const { hostname, port } = new URL(url)
  let closed = 0
  const sockets: Socket[] = []
  for (let n = 0; n < count; n++) {
    const socket = connect(Number(port), hostname)
    socket
      .on('error', () => {})
      .on('close', () => {
        closed += 1
      })
    sockets.push(socket)
    await once(socket, 'connect')
  }
  return {
    closed: () => closed,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
