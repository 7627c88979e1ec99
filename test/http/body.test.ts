import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { sale, stockMovement } from '../fixtures/payloads.ts'
import { busTo, type Kept, keptAs, keptIn, shareHub, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { connectTo, head } from './raw.ts'

const KB = 1024
const SMALL = { config: { server: { maxBody: '4kb' } } }

describe('encodings', () => {
  const hub = shareHub()
  let nth = 0

  test('gzip of hundreds of thousands of members is kept as it came, and not unpacked', async () => {
    const members = Buffer.concat([...Array<Buffer>(300).fill(gzipSync('')), gzipSync('{}')])
    const headers = { 'content-encoding': 'gzip' }
    const { status, body } = await hub().post('StockCountReconciled', members, { headers })
    expect({ status, said: body.status }).toEqual({ status: 202, said: 'quarantined' })
    const few = Buffer.concat([gzipSync('{"a":1,'), gzipSync('"b":2}')])
    expect((await hub().post('StockCountReconciled', few, { headers })).body.status).toBe('accepted')
  })

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['deflate', deflateRawSync],
    ['gzip, gzip', (bytes: Buffer) => gzipSync(gzipSync(bytes))],
    ['deflate, identity, br', (bytes: Buffer) => brotliCompressSync(deflateSync(bytes))],
    ['identity', Buffer.from],
    ['Identity', Buffer.from],
    ['', Buffer.from],
    [' ', Buffer.from],
    ['none', Buffer.from],
    ['identity, none', Buffer.from],
    // What the header says is not so: a proxy unpacked it, or packed it, and left the header alone.
    ['gzip', Buffer.from],
    ['gzip, gzip', gzipSync],
    ['gzip', (bytes: Buffer) => gzipSync(gzipSync(bytes))],
    ['br', gzipSync],
    ['br', Buffer.from],
    ['none', gzipSync],
    ['utf-8', Buffer.from],
    ['zstd', Buffer.from],
    ['zstd', gzipSync],
  ])('when a body comes as "%s", then what it says is kept, not how it was packed', async (encoding, encode) => {
    const text = JSON.stringify({ packedAs: encoding, by: encode.name, nth: nth++ })
    const headers = { 'content-encoding': encoding }
    const { status, body } = await hub().post('StockCountReconciled', encode(Buffer.from(text)), { headers })
    expect({ status, said: body.status }).toEqual({ status: 202, said: 'accepted' })
    expect(textOf(keptAs(hub(), body.id))).toBe(text)
  })

  test('many large bodies in a minute are taken where compression makes them a little smaller only', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const noise = randomBytes(1_500_000).toString('base64')
    for (let nth = 0; nth < 36; nth++) {
      const body = gzipSync(JSON.stringify({ nth, noise }), { level: 1 })
      expect((await hub().post('StockCountReconciled', body, { headers })).status).toBe(202)
    }
  })

  test('when a sale is packed and nothing says so, or its header names what it is not, then it is acted on once', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    const text = JSON.stringify(sale())
    const said = [
      await hub.post('SaleCreated', gzipSync(text)),
      await hub.post('SaleCreated', text, { headers: { 'content-encoding': 'gzip' } }),
      await hub.post('SaleCreated', text, { headers: { 'content-encoding': 'zstd' } }),
    ]
    expect(said.map(({ body }) => body)).toEqual([
      { status: 'accepted', id: 1 },
      { status: 'duplicate', id: 1 },
      { status: 'duplicate', id: 1 },
    ])
    expect((await sink.until(1)).map(({ body }) => body)).toEqual([text])
  })

  test('when it is packed in a way that is unknown or broken, then the bytes are kept in quarantine', async () => {
    await using hub = await startTestHub()
    const packed = gzipSync(JSON.stringify(sale()))
    const cases = [
      { bytes: Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00]), encoding: 'zstd' },
      { bytes: packed.subarray(0, packed.length - 2), encoding: 'zstd' },
      { bytes: gzipSync(gzipSync(gzipSync(gzipSync(packed)))), encoding: 'gzip, gzip, gzip, gzip, gzip' },
      { bytes: packed.subarray(0, packed.length - 1), encoding: 'gzip, gzip' },
      { bytes: packed.subarray(0, packed.length - 9), encoding: 'gzip' },
      { bytes: Buffer.from('not packed at all'), encoding: 'gzip' },
      { bytes: Buffer.alloc(0), encoding: 'gzip' },
      // The first byte alone is an empty text, compressed.
      { bytes: Buffer.concat([brotliCompressSync(''), packed]), encoding: 'br' },
      { bytes: Buffer.concat([deflateSync('{"a":1}'), deflateSync('{"a":2}')]), encoding: 'deflate' },
      { bytes: Buffer.concat([packed, Buffer.from('more')]), encoding: 'gzip' },
    ]

    for (const { bytes, encoding } of cases) {
      const { status, body } = await hub.post('SaleCreated', bytes, { headers: { 'content-encoding': encoding } })
      expect({ status, body }).toMatchObject({ status: 202, body: { status: 'quarantined' } })
      const kept = keptAs(hub, body.id)
      expect(kept.problem).toBe(`not readable as content-encoding ${encoding}`)
      expect(kept.body.equals(bytes)).toBe(true)
      expect(kept.headers['content-encoding']).toBe(encoding)
    }
    expect((await hub.admin('status')).body).toMatchObject({ events: { quarantined: cases.length } })
    expect(hub.lines.filter(({ msg }) => msg === 'event.quarantined')).toHaveLength(cases.length)
  })
})

describe('charsets', () => {
  const hub = shareHub()
  const text = JSON.stringify({ movementId: 1, sku: 'Blåbær €', gtin: '1' })
  const latin1 = Buffer.from(text.replace('€', ''), 'latin1')

  test.each([
    ['UTF-8 that is called latin1', Buffer.from(text), 'iso-8859-1', text],
    ['UTF-8 of an unknown name', Buffer.from(text), 'klingon', text],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text}`), 'utf-8', text],
  ])('when a body is %s, then it is kept as UTF-8', async (name, bytes, charset, expected) => {
    const headers = { 'content-type': `application/json; charset=${charset}`, 'x-event-id': name }
    const { status, body } = await hub().post('StockCountReconciled', bytes, { headers })
    expect({ status, said: body.status }).toEqual({ status: 202, said: 'accepted' })
    expect(textOf(keptAs(hub(), body.id))).toBe(expected)
  })

  test.each([
    ['in latin1', latin1, 'application/json; charset=iso-8859-1', 'not JSON: not UTF-8'],
    ['in UTF-16', Buffer.from(text, 'utf16le'), 'application/json; charset=utf-16le', 'not JSON: not UTF-8'],
    ['not UTF-8 and says nothing', latin1, 'application/json', 'not JSON: not UTF-8'],
    ['not UTF-8 though it says so', latin1, 'application/json; charset=utf-8', 'not JSON: not UTF-8'],
  ])('when a body is %s, then its bytes are kept in quarantine', async (name, bytes, type, problem) => {
    const headers = { 'content-type': type }
    const { status, body } = await hub().post(encodeURIComponent(name), bytes, { headers })
    expect({ status, said: body.status }).toEqual({ status: 202, said: 'quarantined' })
    const kept = keptAs(hub(), body.id)
    expect(kept.problem).toBe(problem)
    expect(kept.body.equals(bytes)).toBe(true)
  })
})

describe('JSON', () => {
  const hub = shareHub()

  test.each([
    ['broken', '{"receiptNo": "1001", ', /^not JSON: broken at position \d+$|^not JSON: broken$/],
    ['empty', '', 'not JSON: broken'],
    ['two documents', '{}{}', /^not JSON: broken/],
    ['a form', 'a=1&b=2', /^not JSON: broken/],
    ['null', 'null', /^no identity: SaleCreated is distinguished by store, POS, receipt number, business day$/],
    ['a number', '1', /^no identity/],
    ['an array', '[{"receiptNo":"1"}]', /^no identity/],
    ['thin', '{"saleId":1}', /^no identity/],
    ['5,000 levels deep', '['.repeat(5_000) + ']'.repeat(5_000), /^no identity/],
    ['3,000 levels deep and cut off', '{"a":'.repeat(3_000), /^not JSON: broken/],
    ['50,000 levels deep', '['.repeat(50_000), /^not read: it is nested deeper than 64 levels \(server\.limits\)$/],
    ['a list of 20,001', `[${'1,'.repeat(20_000)}1]`, /^not read: a list in it has more than 20000 items/],
    ['an object of 5,001', manyKeys(5_001), /^not read: an object in it has more than 5000 fields/],
  ])(
    'when the body of a sale is %s, then it is quarantined as it came, and the hub goes on',
    async (name, text, problem) => {
      const { status, body } = await hub().post('SaleCreated', text)
      expect({ status, said: body.status }).toEqual({ status: 202, said: 'quarantined' })
      const kept = keptAs(hub(), body.id)
      expect(kept.problem).toMatch(problem)
      expect(textOf(kept)).toBe(text)
      expect(await hub().post('SaleCreated', sale({ receiptNo: name }))).toMatchObject({ body: { status: 'accepted' } })
    },
  )

  test('when a body cannot be read, then no part of it gets into the log or the answer', async () => {
    await using hub = await startTestHub()
    const answer = await hub.post('SaleCreated', '{"email":"kari@example.com",,}')
    expect(answer.text).toBe('{"status":"quarantined","id":1}')
    expect(JSON.stringify(hub.lines)).not.toContain('kari')
    expect(keptAs(hub, 1).problem).not.toContain('kari')
  })

  test.each([
    ['null', 'null'],
    ['an array', '[]'],
    ['empty text', '""'],
    ['5,000 levels deep', '['.repeat(5_000) + ']'.repeat(5_000)],
    ['a list of 20,000', `[${'1,'.repeat(19_999)}1]`],
    ['an object of 5,000', manyKeys(5_000)],
    ['brackets in a text', JSON.stringify({ text: '[{,"'.repeat(50_000) })],
    ['with NUL characters', '{"a":"\\u0000","\\u0000":1}'],
    ['with half a surrogate', '{"a":"\\ud800"}'],
    ['with a number beyond all bounds', '{"quantity":1e999}'],
    ['with a prototype', '{"__proto__":{"a":1},"constructor":{"prototype":{}}}'],
  ])('when a kind has no identity and its body is %s, then it is taken as it came', async (_, text) => {
    const { status, body } = await hub().post('StockAdjustmentCreated', text)
    expect({ status, said: body.status }).toEqual({ status: 202, said: 'accepted' })
    expect(textOf(keptAs(hub(), body.id))).toBe(text)
  })

  test('when values are NUL, half surrogates, nested or endless where an identity is read, then nothing breaks', async () => {
    await using hub = await startTestHub()
    const strange = ['\u0000', '\ud800', '', ' ', 'x'.repeat(10_000), 1e300, -0, true, {}, [], [1], { a: null }, null]
    const kinds: [string, (value: unknown) => unknown][] = [
      [
        'StockMovementCreated',
        (movementId) => ({ movementId, gtin: movementId, stockId: movementId, quantity: movementId }),
      ],
      ['SaleCreated', (value) => sale({ receiptNo: value, createdDateTime: value, total: value, store: value })],
      ['SaleCreated', (value) => sale({ receiptNo: value })],
      ['OmniChannelOrderUpdated', (value) => ({ order: value })],
      ['OmniChannelOrderUpdated', (value) => ({ order: { id: value, orderNo: value } })],
      ['OmniChannelSendReceiptCreated', (value) => ({ sendReceipt: sale(), channel: value, recipient: value })],
      ['POSSettlementCreated', (settlementId) => ({ settlementId, grandTotal: settlementId })],
      ['CustomerUpdated', (customerId) => ({ customerId })],
      ['DeliveryCreated', (orderId) => ({ orderId })],
    ]
    for (const [kind, payload] of kinds)
      for (const value of strange) {
        const answer = await hub.post(kind, payload(value))
        expect(answer.status, `${kind} ${JSON.stringify(value)}: ${answer.text}`).toBeOneOf([200, 202])
      }
    expect(hub.lines.filter(({ msg }) => msg === 'request.failed')).toEqual([])
  })

  test.each([
    ['broken', '{"movementId": 1, '],
    ['thin', '{}'],
  ])('when a body is %s and a whole one follows under the same transport key, then that is taken', async (_, text) => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    const answers = []
    for (const body of [text, text, stockMovement(), stockMovement()])
      answers.push((await hub.post('StockMovementCreated', body, { eventId: 'E-1' })).body)
    expect(answers).toEqual([
      { status: 'quarantined', id: 1 },
      { status: 'duplicate', id: 1 },
      { status: 'accepted', id: 2 },
      { status: 'duplicate', id: 2 },
    ])
    // What is JSON is handed on as it came, too.
    const raw = text === '{}' ? [text] : []
    const received = await sink.until(raw.length + 1)
    expect(received.map(({ body }) => body).sort()).toEqual([JSON.stringify(stockMovement()), ...raw].sort())
  })

  test('when the same sale comes twice with something bottomless in it, then it is one', async () => {
    await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:9') } })
    await hub.admin('destinations/bus/pause', {})
    await hub.post('SaleCreated', bottomless(5_000))
    expect(await hub.post('SaleCreated', bottomless(5_001))).toMatchObject({ status: 200 })
  })
})

describe('size', () => {
  test('when a body is as large as the limit, then it is taken', async () => {
    await using hub = await startTestHub(SMALL)
    const text = JSON.stringify({ text: 'x'.repeat(4 * KB - '{"text":""}'.length) })
    expect(text).toHaveLength(4 * KB)
    expect(await hub.post('StockCountReconciled', text)).toMatchObject({ status: 202 })
    expect(await hub.post('StockCountReconciled', `${text} `)).toMatchObject({ status: 413 })
  })

  test('when a body is announced as larger, then it is refused at once, and the refusal is kept', async () => {
    await using hub = await startTestHub(SMALL)
    using connection = await connectTo(hub.url)
    await connection.write(head('SaleCreated', { 'content-length': 5 * KB, 'x-event-id': 'E-1' }))
    const answer = await connection.answer(/\}$/)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toMatch(/"code":"body-too-large"/)
    expect(answer).toMatch(
      /"detail":"the body of 5120 bytes or more is over the limit of 4096; fetch it from the event log/,
    )
    const kept = keptAs(hub, 1)
    expect(kept).toMatchObject({ state: 'quarantined', transportKey: 'E-1', size: 0 })
    expect(kept.problem).toBe('the body of 5120 bytes or more is over the limit of 4096')
    expect(hub.lines.filter(({ msg }) => msg === 'webhook.refused')).toMatchObject([{ level: 50, event: 1 }])
  })

  test('when a body turns out to be larger, then it is refused as well', async () => {
    await using hub = await startTestHub(SMALL)
    using connection = await connectTo(hub.url)
    await connection.write(head('SaleCreated', { 'transfer-encoding': 'chunked' }))
    for (let n = 0; n < 5; n++) await connection.write(`400\r\n${'x'.repeat(KB)}\r\n`)
    await connection.write('1\r\nx\r\n')
    expect(await connection.answer(/\}$/)).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":"body-too-large"/)
    expect(keptAs(hub, 1)).toMatchObject({ state: 'quarantined', size: 0 })
  })

  test('when a sender pours out far more than the limit before it listens, then it still gets the answer', async () => {
    await using hub = await startTestHub(SMALL)
    const body = Buffer.alloc(3 * KB * KB, 'x')
    for (const headers of [{ 'content-length': body.length }, { 'transfer-encoding': 'chunked' }]) {
      using connection = await connectTo(hub.url)
      await connection.write(head('SaleCreated', headers))
      if ('transfer-encoding' in headers) await connection.write(`${body.length.toString(16)}\r\n`)
      await connection.write(body)
      if ('transfer-encoding' in headers) await connection.write('\r\n0\r\n\r\n')
      expect(await connection.answer(/\}$/)).toMatch(/^HTTP\/1\.1 413 /)
    }
    expect(await hub.post('SaleCreated', sale({ customer: null, orderLines: [] }))).toMatchObject({ status: 202 })
  })

  test('when little unpacks to much, then it is refused before it fills the memory', async () => {
    await using hub = await startTestHub({ config: { server: { maxBody: '1mb' } } })
    const bomb = gzipSync(Buffer.alloc(100 * KB * KB))
    expect(bomb.length).toBeLessThan(KB * KB)
    const before = process.memoryUsage().rss
    const answer = await hub.post('SaleCreated', bomb, { headers: { 'content-encoding': 'gzip' } })
    expect(answer).toMatchObject({ status: 413, body: { code: 'body-too-large' } })
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * KB * KB)
    expect(keptAs(hub, 1)).toMatchObject({ state: 'quarantined', size: 0 })
  })

  test('when something was refused for its size, then the same event is taken once it is small enough', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ ...SMALL, destinations: { bus: busTo(sink.url) } })
    const large = { movementId: 1, comment: 'x'.repeat(5 * KB) }
    expect(await hub.post('StockMovementCreated', large, { eventId: 'E-1' })).toMatchObject({ status: 413 })
    expect(await hub.post('StockMovementCreated', { movementId: 1 }, { eventId: 'E-1' })).toMatchObject({
      status: 202,
      body: { status: 'accepted' },
    })
    await sink.until(1)
  })
})

describe('the sender', () => {
  test('when it breaks off in the middle, then nothing is kept and nothing is answered', async () => {
    await using hub = await startTestHub()
    const text = JSON.stringify(sale())
    for (const headers of [{ 'content-length': text.length }, { 'transfer-encoding': 'chunked' }]) {
      using connection = await connectTo(hub.url)
      await connection.write(head('SaleCreated', headers))
      await connection.write('content-length' in headers ? text.slice(0, 100) : `64\r\n${text.slice(0, 100)}\r\n`)
      connection.breakOff()
      expect(await connection.answer()).toBe('')
    }
    await eventually(() => expect(hub.lines.filter(({ msg }) => msg === 'webhook.broken-off')).toHaveLength(2))
    expect(keptIn(hub)).toEqual([])
    expect(await hub.post('SaleCreated', text)).toMatchObject({ status: 202, body: { id: 1 } })
  })

  test('when it is gone by the time its webhook is on disk, then the copy it sends next is a duplicate', async () => {
    await using hub = await startTestHub()
    const text = JSON.stringify(sale())
    using connection = await connectTo(hub.url)
    await connection.write(head('SaleCreated', { 'content-length': text.length }) + text)
    connection.breakOff()
    await eventually(() => keptIn(hub).length === 1)
    expect(await hub.post('SaleCreated', text)).toMatchObject({ status: 200, body: { status: 'duplicate', id: 1 } })
  })
})

function manyKeys(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, n])))
}

function textOf({ body }: Kept): string {
  return body.toString()
}

/** A sale with so many levels of brackets in it. */
function bottomless(levels: number): string {
  const extra = `${'['.repeat(levels)}1${']'.repeat(levels)}`
  return JSON.stringify(sale()).replace('"receiptNo"', `"extra":${extra},"receiptNo"`)
}
