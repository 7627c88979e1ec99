import { expect, test } from 'vitest'
import { sale } from '../fixtures/payloads.ts'
import { busTo, startTestHub } from '../hub.ts'
import { type Sink, startSink } from '../sink.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'

/** OTLP as JSON, as far as it is read here. */
interface Batch {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] }
    scopeSpans: { spans: OtlpSpan[] }[]
  }[]
}

interface OtlpSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { code?: number }
  attributes: { key: string; value: Record<string, unknown> }[]
}

function spansAt(collector: Sink): OtlpSpan[] {
  const batches = collector.received.map(({ body }) => JSON.parse(body) as Batch)
  return batches.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  )
}

async function start(tracing: { headers?: Record<string, string>; ratio?: number; path?: string } | null) {
  await using opened = new AsyncDisposableStack()
  const [bus, collector] = [opened.use(await startSink()), opened.use(await startSink())]
  const { path = '/v1/traces', ...options } = tracing ?? {}
  const hub = opened.use(
    await startTestHub({
      destinations: { bus: busTo(bus.url) },
      config: { tracing: tracing ? { endpoint: new URL(collector.url).origin + path, ...options } : undefined },
    }),
  )
  const scope = opened.move()
  return { hub, bus, collector, [Symbol.asyncDispose]: () => scope.disposeAsync() }
}

test('a webhook, the deliveries that it causes and their requests are one trace, which goes on from the caller to the destination', async () => {
  await using world = await start({ headers: { authorization: 'Bearer of the collector' } })
  const { hub, bus, collector } = world
  const traceparent = `00-${TRACE}-${CALLER}-01`
  await hub.post('SaleCreated', sale(), { headers: { traceparent } })
  const [sent] = await bus.until(1)
  await hub.hub.stop(1_000)

  const [accept, deliver, request] = ['accept', 'deliver', 'POST'].map((name) =>
    spansAt(collector).find((span) => span.name === name),
  )
  expect(accept).toMatchObject({ traceId: TRACE, parentSpanId: CALLER })
  expect(deliver).toMatchObject({ traceId: TRACE, parentSpanId: accept?.spanId })
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: deliver?.spanId })
  expect(sent?.headers.traceparent).toBe(`00-${TRACE}-${request?.spanId}-01`)
  expect(deliver?.attributes).toContainEqual({ key: 'tillbridge.outcome', value: { stringValue: 'delivered' } })
  expect(request?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 200 } })
  expect(collector.received[0]?.headers.authorization).toBe('Bearer of the collector')
  // The collector's own requests are no spans.
  expect(spansAt(collector)).toHaveLength(3)
})

test('a delivery that fails is an error of its trace, and each attempt of it is in the same one', async () => {
  await using world = await start({})
  const { hub, bus, collector } = world
  bus.play((_, nth) => ({ status: nth === 0 ? 503 : 200 }))
  await hub.post('SaleCreated', sale())
  await bus.until(2, 30_000)
  await hub.hub.stop(1_000)
  const spans = spansAt(collector).filter(({ name }) => name === 'deliver')
  expect(spans.map(({ status }) => status.code ?? 0)).toEqual([2, 0])
  expect(new Set(spansAt(collector).map(({ traceId }) => traceId)).size).toBe(1)
})

test.each([
  ['', '/v1/traces'],
  ['/', '/v1/traces'],
  ['/otlp/v1/traces', '/otlp/v1/traces'],
])('an endpoint that ends with "%s" gets the spans at %s', async (path, posted) => {
  await using world = await start({ path })
  await world.hub.post('SaleCreated', sale())
  await world.bus.until(1)
  await world.hub.hub.stop(1_000)
  expect(world.collector.received[0]?.path).toBe(posted)
})

test('no span holds what a webhook or a path says', async () => {
  await using world = await start({})
  await world.hub.post('SaleCreated', sale({ comment: 'canary-of-the-comment' }))
  await world.bus.until(1)
  await world.hub.hub.stop(1_000)
  expect(spansAt(world.collector)).toHaveLength(3)
  const text = world.collector.received.map(({ body }) => body).join('\n')
  for (const secret of ['canary-of-the-comment', 'webhook-token', '/webhooks/']) expect(text).not.toContain(secret)
})

test('a ratio of none sends no spans, but the caller’s decision to sample counts', async () => {
  await using world = await start({ ratio: 0 })
  const { hub, bus, collector } = world
  await hub.post('SaleCreated', sale({ receiptNo: 1 }))
  const [first] = await bus.until(1)
  expect(first?.headers.traceparent).toMatch(/-00$/)
  await hub.post('SaleCreated', sale({ receiptNo: 2 }), { headers: { traceparent: `00-${TRACE}-${CALLER}-01` } })
  await bus.until(2)
  await hub.hub.stop(1_000)
  expect(new Set(spansAt(collector).map(({ traceId }) => traceId))).toEqual(new Set([TRACE]))
})

test.each([['rubbish'], [`00-${'0'.repeat(32)}-${CALLER}-01`], [`ff-${TRACE}-${CALLER}-01`]])(
  'a traceparent that is none (%s) begins a new trace',
  async (traceparent) => {
    await using world = await start({})
    expect((await world.hub.post('SaleCreated', sale(), { headers: { traceparent } })).status).toBe(202)
    const [sent] = await world.bus.until(1)
    expect(sent?.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(sent?.headers.traceparent).not.toContain(TRACE)
  },
)

test('a collector that is away delays nothing, and is named once', async () => {
  await using world = await start({})
  const { hub, bus, collector } = world
  await collector.refuse()
  for (const receiptNo of [1, 2, 3]) await hub.post('SaleCreated', sale({ receiptNo }))
  await bus.until(3)
  await hub.hub.stop(1_000)
  expect(hub.lines.filter(({ msg }) => msg === 'tracing.not-sent')).toHaveLength(1)
  await collector.open()
})

test('a collector that never answers holds up the end of the hub for seconds at most', async () => {
  await using world = await start({})
  const { hub, bus, collector } = world
  collector.play('hang')
  await hub.post('SaleCreated', sale())
  await bus.until(1)
  const begun = performance.now()
  await hub.hub.stop(1_000)
  expect(performance.now() - begun).toBeLessThan(8_000)
  collector.letGo()
})

test('without tracing no request of the hub has a traceparent, and what came with the webhook is stored as it was', async () => {
  await using world = await start(null)
  const traceparent = `00-${TRACE}-${CALLER}-01`
  const { id } = (await world.hub.post('SaleCreated', sale(), { headers: { traceparent } })).body
  const [sent] = await world.bus.until(1)
  expect(sent?.headers).not.toHaveProperty('traceparent')
  expect((await world.hub.hub.storage.event(id))?.headers.traceparent).toBe(traceparent)
})
