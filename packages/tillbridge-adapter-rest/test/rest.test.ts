import { describe, expect, test } from 'vitest'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { evaluate } from '../../../src/lib/jsonata.ts'
import { adapterContract, attempt } from '../../../test/adapters/contract.ts'
import { BAD_ADDRESSES, type HttpScript, httpTransport, startHttpPeer } from '../../../test/adapters/http-peer.ts'
import { MINIMUM, problemsOf } from '../../../test/config/fixture.ts'
import { countOwnTime } from '../../../test/own-time.ts'
import { orderOf } from '../../tillbridge-adapter-woocommerce/test/kit.ts'
import rest from '../src/rest.ts'
import { configOf, startRest } from './kit.ts'

const CREATE = {
  path: '/orders',
  headers: { 'Idempotency-Key': '{{key}}' },
  body: '{ "number": order.number, "email": order.customer.email }',
  idempotent: true,
}

const broken = (create: object) => ({ create: { ...CREATE, ...create } })

adapterContract({
  adapter: rest,
  transport: httpTransport,
  options: (url) => ({
    url: `${url}/api`,
    auth: { bearer: 'token-of-the-tests' },
    headers: { 'x-api-key': 'key-of-the-tests' },
    orders: { create: CREATE },
  }),
  badOptions: [
    ...BAD_ADDRESSES,
    { key: 'url', why: 'has a query', value: 'https://oms.example.com/api?key=1' },
    { key: 'auth', why: 'is two', value: { bearer: 'token', basic: { user: 'me', password: 'secret' } } },
    { key: 'auth.bearer', why: 'has a line break', value: { bearer: 'token\nx: y' } },
    { key: 'auth.basic.user', why: 'has a colon', value: { basic: { user: 'me:you', password: 'secret' } } },
    {
      key: 'auth.oauth.tokenUrl',
      why: 'is link-local',
      value: { oauth: { tokenUrl: 'http://169.254.1.1/', clientId: 'a', clientSecret: 'secret' } },
    },
    { key: 'headers.host', why: 'is set by the connection', value: { host: 'example.com' } },
    { key: 'orders.create.body', why: 'gives nothing', value: broken({ body: 'order.nmber' }) },
    { key: 'orders.create.body', why: 'cannot be evaluated', value: broken({ body: '$nmber(order.number)' }) },
    { key: 'orders.create.body', why: 'never ends', value: broken({ body: '($f := function($x){$f($x)}; $f(1))' }) },
    {
      key: 'orders.create.body',
      why: 'has a list of one bare',
      value: broken({ body: '{ "lines": order.lines.{ "sku": sku } }' }),
    },
    { key: 'orders.create.path', why: 'misspells a name', value: broken({ path: '/orders/{{order.nmber}}' }) },
    { key: 'orders.create.path', why: 'leads to another folder', value: broken({ path: '/orders/../admin' }) },
    {
      key: 'orders.create.query.number',
      why: 'misspells a name',
      value: broken({ query: { number: '{{order.nmber}}' } }),
    },
    { key: 'orders.create.link', why: 'calls a function that there is not', value: broken({ link: '$frst(answer)' }) },
    { key: 'orders.ready.link', why: 'is of what has no id', value: { ready: { path: '/ready', link: 'answer.id' } } },
    {
      key: 'customers.byEmail.body',
      why: 'is of a GET',
      value: { byEmail: { path: '/', body: '1', answer: 'answer' } },
    },
  ],
  act: (ports, attempt) => ports.orders?.create?.(orderOf(), attempt) ?? Promise.reject(),
  secrets: ['token-of-the-tests', 'key-of-the-tests', 'kari.nordmann@example.com', 'Nordmann'],
  keyOf: ({ headers }) => headers['idempotency-key'],
})

/** The options of one method against a peer that answers so. */
async function meet(create: object, script: Parameters<Awaited<ReturnType<typeof startHttpPeer>>['play']>[0]) {
  await using peer = await startHttpPeer()
  peer.play(script)
  await using instance = startRest({ url: peer.address, orders: { create } })
  const effect = await instance.ports.orders?.create?.(orderOf(), attempt()).catch((error: Error) => error)
  return { effect, call: peer.calls[0] }
}

/** `200 {"id":7}`: a status and a body. */
function scriptOf(answer: string): HttpScript {
  const [status = '', ...body] = answer.split(' ')
  return { status: Number(status), body: body.join(' ') }
}

describe('what an answer means', () => {
  const unreadable = { name: 'UnknownOutcomeError', code: 'unreadable-answer' }
  const link = 'answer.id'
  const page = '<!DOCTYPE html><html><body>Log in</body></html>'
  const refused = { name: 'PermanentError', message: expect.stringContaining('invalid_token') }
  const saysNo = { name: 'PermanentError', code: 'refused' }
  const linked = { links: [{ kind: 'order', id: 'pos:EA-77', theirId: '7' }] }

  test.each<[string, string, object, object]>([
    ['it may not be sent twice', '500 {}', {}, { name: 'UnknownOutcomeError', code: 'http-500' }],
    ['config says that it may be sent later', '500 {}', { statuses: { 500: 'later' } }, { name: 'RetryLaterError' }],
    ['config says that it is done', '409 {}', { statuses: { 409: 'done' } }, { note: '409 Conflict' }],
    ['there is no OAuth', '401 {"error":"invalid_token"}', {}, refused],
    ['that refuses', '200 {"ok":false}', { refusedWhen: 'answer.ok = false' }, saysNo],
    ['that is busy', '200 {"busy":true}', { laterWhen: 'answer.busy' }, { name: 'RetryLaterError' }],
    ['link looks for an id', '200 {}', { link }, unreadable],
    ['it is no JSON', '200 <html>', { link }, { name: 'UnknownOutcomeError' }],
    ['it is a login page, and nothing is looked for in it', `200 ${page}`, {}, unreadable],
    ['config says that a page is done', '200 <html>OK</html>', { statuses: { 200: 'done' } }, { note: '200 OK' }],
    ['its id is a number', '200 {"id":7}', { link }, linked],
  ])('When %s, and the answer is %s, then that is understood', async (_, answer, given, expected) => {
    const create = { path: '/orders', body: '{ "number": order.number }', ...given }
    expect((await meet(create, scriptOf(answer))).effect).toMatchObject(expected)
  })
})

describe('an id beyond 2^53', () => {
  const LONG = '9007199254740993'
  const UPDATE = { number: 'A1', platformId: null, status: 'Picked', shipments: null, lines: [] }
  const SIGNAL = new AbortController().signal

  test('When it stands in an answer as a number, then the order is linked by each of its digits, and called by them later', async () => {
    await using peer = await startHttpPeer()
    const create = { path: '/orders', body: 'order.number', link: 'answer.id' }
    const ready = { method: 'PUT', path: '/orders/{{theirId}}', body: '{ "id": theirId }' }
    await using instance = startRest({ url: peer.address, orders: { create, ready } })
    peer.play({ status: 201, body: `{"total":349.50,"id":${LONG}}` })
    const made = await instance.ports.orders?.create?.(orderOf(), attempt())
    const { theirId = '' } = made?.links?.[0] ?? {}
    const links = async () => [{ kind: 'order', id: 'A1', destination: 'oms', theirId }]
    await instance.ports.orders?.ready?.({ ...UPDATE, stockId: null, stockName: null }, attempt({ links }))
    expect(theirId).toBe(LONG)
    expect(peer.calls[1]).toMatchObject({ line: `PUT /orders/${LONG}`, body: Buffer.from(`{"id":"${LONG}"}`) })
  })

  test('When an uncertain order is found by it, then it is linked by each of its digits', async () => {
    await using peer = await startHttpPeer()
    peer.play({ status: 200, body: `[{"id" : ${LONG}, "name": "1234567890123456"}]` })
    const find = { path: '/orders', query: { key: '{{key}}' }, found: 'answer.id' }
    await using instance = startRest({
      url: peer.address,
      orders: { create: { path: '/orders', body: 'order', find } },
    })
    const call = { port: 'orders', method: 'create', argument: orderOf() } as const
    expect(await instance.ports.orders?.find?.(attempt(), call)).toMatchObject({ links: [{ theirId: LONG }] })
  })

  test('When what is new is asked for, then keys, ids and the cursor have each of their digits, and amounts are numbers', async () => {
    await using peer = await startHttpPeer()
    peer.play({ status: 200, body: `{"orders":[{"id":${LONG},"total":349.50}],"next":${LONG}1}` })
    const items = 'answer.orders.{ "key": id, "theirId": id, "value": { "orderNo": $string(id), "twice": total * 2 } }'
    await using instance = startRest({ url: peer.address, poll: { path: '/new', items, cursor: 'answer.next' } })
    expect(await instance.intake?.poll?.(null, { signal: SIGNAL })).toEqual({
      items: [expect.objectContaining({ key: LONG, theirId: LONG, value: { orderNo: LONG, twice: 699 } })],
      cursor: `${LONG}1`,
      more: false,
    })
  })

  test('When one of what is new cannot be read, then the others are taken, and it is handed over to be kept for a person', async () => {
    await using peer = await startHttpPeer()
    const orders = [{ id: null, no: 'A1' }, { id: 2, no: 'A2' }, { id: 3 }]
    const items = 'answer.orders.{ "key": id, "theirId": id, "value": no ? { "orderNo": no } : null }'
    await using instance = startRest({ url: peer.address, poll: { path: '/new', items, cursor: 'answer.next' } })
    const answered = async (some: object[]) => {
      peer.play({ status: 200, body: JSON.stringify({ orders: some, next: '7' }) })
      return await instance.intake?.poll?.(null, { signal: SIGNAL })
    }
    const polled = await answered(orders)
    expect(polled).toMatchObject({ cursor: '7' })
    const lacks = 'gives something that lacks these, or has them in another form:'
    expect(polled?.items).toMatchObject([
      { resource: 'orders', theirId: null, faults: [expect.stringMatching(`${lacks} key$`)] },
      { resource: 'orders', key: '2', value: { orderNo: 'A2' } },
      { resource: 'orders', key: '3/unreadable', theirId: '3', faults: [expect.stringMatching(`${lacks} value$`)] },
    ])
    expect((await answered(orders))?.items[0]?.key).toBe(polled?.items[0]?.key)
    // Nothing but such is a mapping that is wrong: nothing is passed over.
    await expect(answered([{ id: null, no: 'A1' }])).rejects.toMatchObject({ code: 'bad-answer' })
  })

  /** The sample that config is checked with has a number that is none. */
  const NUMBER = '(order.orderNo = "EA-77" ? 1 : $number(order.orderNo))'

  test.each<[string, object, string]>([
    ['a body', { path: '/orders', body: `{ "lines": [{ "id": ${NUMBER} }] }` }, 'orders.create.body'],
    ['a form', { path: '/orders', type: 'form', body: `{ "id": ${NUMBER} }` }, 'orders.create.body'],
    ['a path', { path: `/orders/{{${NUMBER}}}` }, 'orders.create.path'],
  ])(
    'When a mapping makes a number of it for %s, then nothing is sent, and the error says why',
    async (_, create, at) => {
      await using peer = await startHttpPeer()
      await using instance = startRest({ url: peer.address, orders: { create } })
      const failed = instance.ports.orders?.create?.({ ...orderOf(), orderNo: LONG }, attempt())
      await expect(failed).rejects.toMatchObject({
        code: 'bad-mapping',
        message: expect.stringContaining(`oms: ${at}: it gives a number beyond 2^53`),
      })
      expect(peer.calls).toEqual([])
    },
  )

  test('When a mapping makes a number of it in an answer, then the effect is uncertain, and no other is linked', async () => {
    const { effect } = await meet(
      { path: '/orders', body: 'order.number', link: '$number(answer.id)' },
      { status: 201, body: `{"id":${LONG}}` },
    )
    expect(effect).toMatchObject({ name: 'UnknownOutcomeError', code: 'unreadable-answer' })
  })
})

test('When values stand in a path, a query, a header and a form, then each is safe there', async () => {
  const path = '/shops/{{order.store.name}}/orders?number={{order.number}}'
  const headers = { 'x-store': '{{order.store.name}}', 'x-none': '{{order.nothing}}' }
  const body = '{ "name": order.store.name, "none": order.nothing, "tags": ["a", "b&c"] }'
  await using peer = await startHttpPeer()
  const create = { path, query: { place: '{{order.store.name}}' }, headers, type: 'form', body }
  await using instance = startRest({
    url: `${peer.address}/api/`,
    orders: { create: { ...create, headers: { 'x-store': headers['x-store'] } } },
  })
  const order = orderOf()
  await instance.ports.orders?.create?.(
    { ...order, store: { ...order.store, name: '../Åre & "Co"\r\nx: 1' } },
    attempt(),
  )
  const [call] = peer.calls
  expect(call?.line).toBe(
    'POST /api/shops/..%2F%C3%85re%20%26%20%22Co%22%0D%0Ax%3A%201/orders?number=EA-77&place=..%2F%C3%85re%20%26%20%22Co%22%0D%0Ax%3A%201',
  )
  expect(call?.headers).toMatchObject({
    'x-store': '../%C3%85re & "Co"%0D%0Ax: 1',
    'content-type': 'application/x-www-form-urlencoded',
  })
  expect([...new URLSearchParams(call?.body.toString())]).toEqual([
    ['name', '../Åre & "Co"\r\nx: 1'],
    ['tags', 'a'],
    ['tags', 'b&c'],
  ])
})

test('When a mapping fails on an order, then the error says where, and shows nothing of the order', async () => {
  await using instance = startRest({
    url: 'http://127.0.0.1:1',
    orders: { create: { path: '/', body: '{ "n": $number(order.receiptNo) }' } },
  })
  const failed = instance.ports.orders?.create?.({ ...orderOf(), receiptNo: 'Nordmann' }, attempt())
  await expect(failed).rejects.toMatchObject({
    code: 'bad-mapping',
    message: 'oms: orders.create.body: it cannot be evaluated (JSONata D3030 at character 15)',
  })
})

test('When one method can be looked for and another not, then find says so; without any, there is no find', async () => {
  const ready = { path: '/orders/{{order.number}}/ready' }
  const url = 'http://127.0.0.1:1'
  await using none = startRest({ url, orders: { ready } })
  expect(Object.keys(none.ports.orders ?? {})).toEqual(['ready'])
  await using some = startRest({ url, orders: { ready, create: CREATE } })
  const update = {
    number: 'A1',
    platformId: null,
    status: 'Picked',
    shipments: null,
    lines: [],
    stockId: null,
    stockName: null,
  }
  const find = some.ports.orders?.find
  await expect(find?.(attempt(), { port: 'orders', method: 'ready', argument: update })).rejects.toMatchObject({
    code: 'cannot-find',
    message: 'oms: orders.ready has no find in config',
  })
  // It is sent again with its key: the system deduplicates.
  await expect(find?.(attempt(), { port: 'orders', method: 'create', argument: orderOf() })).rejects.toMatchObject({
    code: 'may-repeat',
  })
})

describe('looking for an uncertain effect', () => {
  const find = { path: '/orders', query: { key: '{{key}}' }, found: 'answer.orders.id' }

  async function look(script: HttpScript, given: object = {}) {
    await using peer = await startHttpPeer()
    peer.play(script)
    const create = { path: '/orders', body: 'order', find: { ...find, ...given } }
    await using instance = startRest({ url: peer.address, orders: { create } })
    const call = { port: 'orders', method: 'create', argument: orderOf() } as const
    return await instance.ports.orders?.find?.(attempt(), call).catch((error: Error) => error)
  }

  const found = { links: [{ kind: 'order', id: 'pos:EA-77', theirId: '7' }] }
  const badMapping = { message: expect.stringMatching(/^oms: orders\.create\.find\.found: /) }

  test.each<[string, HttpScript, object, object | null]>([
    ['has it', scriptOf('200 {"orders":[{"id":7}]}'), {}, found],
    ['has it not', scriptOf('200 {"orders":[]}'), {}, null],
    ['is a page of a firewall', scriptOf('200 <html>'), {}, { code: 'unreadable-answer' }],
    ['breaks off', 'half', {}, { name: 'RetryLaterError' }],
    ['says that it failed', scriptOf('200 {"ok":false}'), { refusedWhen: 'answer.ok = false' }, { code: 'refused' }],
    ['is 404', scriptOf('404 {}'), {}, { code: 'http-404' }],
    ['is 404, and config says that this is an answer', scriptOf('404 '), { statuses: { 404: 'done' } }, null],
    ['fails the mapping', scriptOf('200 {}'), { found: '$number("x")' }, badMapping],
  ])('When the answer %s, then only a good one says that it is not there', async (_, script, given, expected) => {
    const answer = await look(script, given)
    if (expected === null) expect(answer).toBeNull()
    else expect(answer).toMatchObject(expected)
  })
})

for (const [status, names, calls] of [
  [422, ['RefusedTogetherError', 'RefusedTogetherError', 'PermanentError'], 2],
  [503, ['RetryLaterError', 'RetryLaterError', 'RetryLaterError'], 1],
] as const)
  test(`When levels are answered ${status}, then that is said of each, and outage of the destination ends it`, async () => {
    await using peer = await startHttpPeer()
    peer.play({ status })
    const setLevels = { path: '/stock', atOnce: 2, body: '[levels.{ "gtin": gtin, "quantity": $number(level) }]' }
    await using instance = startRest({ url: peer.address, stock: { setLevels } })
    const batch = ['1', '2', '3'].map((gtin) => ({
      argument: { stockId: '12', location: 'oslo', gtin, sku: null, level: parseDecimal(4) },
      attempt: attempt(),
    }))
    const results = await instance.ports.stock?.setLevels?.(batch)
    expect([results?.map((result) => 'name' in result && result.name), peer.calls.length]).toEqual([names, calls])
  })

test('When an answer to a search lacks what a POS must have, then the error names it', async () => {
  await using peer = await startHttpPeer()
  const order = { number: 'A1', currency: 'nok', total: 'ten', lines: [{}] }
  peer.play({ status: 200, body: JSON.stringify({ orders: [order] }) })
  const search = { path: '/orders', query: { number: '{{number}}' }, answer: 'answer.orders' }
  await using instance = startRest({ url: `${peer.address}/api`, orders: { search } })
  const found = instance.ports.orders?.search?.('A1', { signal: AbortSignal.timeout(5_000) })
  await expect(found).rejects.toMatchObject({
    name: 'PermanentError',
    code: 'bad-answer',
    message: expect.stringMatching(
      /^oms: orders\.search\.answer gives .*: total, lines\.0\.rowId, .*lines\.0\.unitPrice/,
    ),
  })
})

test('When a mapping runs away, then it is ended in time, and the next one works', () => {
  const ownTime = countOwnTime()
  const runaways = [
    '($f := function($x){1 + $f($x)}; $f(1))',
    '$match($pad("", 60, "a") & "b", /^(a+)+$/)',
    '[1..9000000].{ "a": $ }',
  ]
  for (const runaway of runaways) expect(evaluate(runaway, {})).toMatchObject({ fault: { code: 'timeout' } })
  expect(ownTime()).toBeLessThan(3_000)
  expect(evaluate('a & "!"', { a: 'next' })).toEqual({ value: 'next!' })
})

test('When a mapping sets a variable, then the next evaluation does not have it', () => {
  expect(evaluate('$seen := a', { a: 'Kari' })).toEqual({ value: 'Kari' })
  expect(evaluate('$seen', {})).toEqual({})
})

test('When a mapping looks for the outside, then there is none', () => {
  for (const outside of ['process', 'require', '$constructor', 'a.constructor.constructor', '$eval("process")'])
    expect(evaluate(outside, { a: {} })).toEqual({})
})

test('When the config of the page is read, then it is good, and gives what it says', async () => {
  const { options } = await configOf('rest', { OMS_TOKEN: 'token-of-the-tests' })
  await using instance = startRest(options)
  expect(Object.keys(instance.ports.orders ?? {})).toEqual(['create', 'search', 'find'])
})

test('When a key of a request is misspelt, then config says which, in a list too', async () => {
  const yaml = `destinations:
  oms:
    adapter: rest
    url: https://oms.example.com
    orders:
      create: { path: /orders, bdy: order }
      ready: [{ path: /ready, body: "order." }, { path: /ready, when: "$nothing()" }]
      cancel: { path: /cancel }
`
  const problems = await problemsOf(MINIMUM + yaml, { options: { rest: rest.options } })
  expect(problems.map(({ path }) => path)).toEqual(
    ['orders.create.bdy', 'orders.ready[0].body', 'orders.ready[1].when', 'orders.cancel'].map(
      (key) => `destinations.oms.${key}`,
    ),
  )
})
