import { describe, expect, test } from 'vitest'
import { type HttpScript, startHttpPeer } from '../../../test/adapters/http-peer.ts'
import rest from '../src/rest.ts'
import { startRest } from './kit.ts'

const READ = {
  path: '/locations/{{location}}/stock',
  query: { page: '{{page}}' },
  answer: '{ "levels": [answer.rows[counted].{ "gtin": ean, "sku": code, "level": quantity }], "next": answer.next }',
}

const signal = new AbortController().signal

/** What is read of a system that answers so, one after the other. */
async function read(answers: (HttpScript | object)[], given: object = {}, page: string | null = null) {
  await using peer = await startHttpPeer()
  const readLevels = { ...READ, ...given }
  const setLevels = { path: '/stock', body: 'levels' }
  await using instance = startRest({ url: `${peer.address}/api`, stock: { setLevels, readLevels } })
  const pages: unknown[] = []
  for (let at: string | null = page; ; ) {
    const answer = answers[pages.length] ?? {}
    peer.play(isScript(answer) ? answer : { status: 200, body: JSON.stringify(answer) })
    const got = await instance.ports.stock?.readLevels?.('Oslo & co', at, { signal }).catch((error: Error) => error)
    pages.push(got)
    if (!got || got instanceof Error || got.next === null) return { pages, lines: peer.calls.map(({ line }) => line) }
    at = got.next
  }
}

function isScript(answer: HttpScript | object): answer is HttpScript {
  return typeof answer === 'string' || 'status' in answer
}

const row = (code: string, quantity: unknown, given: object = {}) => ({ code, quantity, counted: true, ...given })

test('When a system is read, then it is asked page by page, and says what it counts, as exactly as it does', async () => {
  const { pages, lines } = await read([
    { rows: [row('TEE', 4, { ean: 7_090_012_340_011 }), row('BAG', null, { counted: false })], next: 'a&b' },
    { rows: [row('RIBBON', '2.1250'), row('LATE', -1.5)], next: 'c' },
    { rows: [], next: null },
  ])
  expect(lines).toEqual([
    'GET /api/locations/Oslo%20%26%20co/stock',
    'GET /api/locations/Oslo%20%26%20co/stock?page=a%26b',
    'GET /api/locations/Oslo%20%26%20co/stock?page=c',
  ])
  expect(pages).toEqual([
    { levels: [{ gtin: '7090012340011', sku: 'TEE', level: '4' }], next: '"a&b"' },
    {
      levels: [
        { gtin: null, sku: 'RIBBON', level: '2.125' },
        { gtin: null, sku: 'LATE', level: '-1.5' },
      ],
      next: '"c"',
    },
    { levels: [], next: null },
  ])
})

test('When one level of a page cannot be read, then the others count, and it is named', async () => {
  const { pages } = await read([
    { rows: [row('TEE', 4), row('CAP', 'many'), row('', 1), row('BAG', null)], next: 'b' },
    { rows: [row('SOCKS', 2)] },
  ])
  expect(pages).toEqual([
    {
      levels: [{ gtin: null, sku: 'TEE', level: '4' }],
      next: '"b"',
      unread: ['CAP', 'levels.2', 'BAG'],
    },
    { levels: [{ gtin: null, sku: 'SOCKS', level: '2' }], next: null },
  ])
})

describe('a page that cannot be read', () => {
  test.each<[string, HttpScript | object, object]>([
    ['is 404', { status: 404 }, { name: 'PermanentError', code: 'http-404' }],
    ['is 500', { status: 500 }, { name: 'RetryLaterError', code: 'http-500' }],
    ['is 503', { status: 503 }, { name: 'RetryLaterError', scope: 'destination' }],
    ['breaks off', 'half', { name: 'RetryLaterError' }],
    [
      'is a page of a firewall',
      { status: 200, body: '<html>' },
      { name: 'RetryLaterError', code: 'unreadable-answer' },
    ],
    [
      'has a level that is no number',
      { rows: [row('TEE', 'many')] },
      { message: expect.stringMatching(/: levels\.0\.level$/) },
    ],
    ['has no level where one is counted', { rows: [row('TEE', null)] }, { code: 'bad-answer' }],
    ['has neither GTIN nor SKU', { rows: [row('', 1)] }, { message: expect.stringMatching(/: levels\.0$/) }],
  ])('When the answer %s, then it throws', async (_, answer, expected) => {
    expect((await read([answer])).pages).toMatchObject([expected])
  })

  test('When a page names itself as the next, then it throws rather than going round', async () => {
    const { pages } = await read([
      { rows: [], next: 'a' },
      { rows: [], next: 'a' },
    ])
    expect(pages).toMatchObject([{ next: '"a"' }, { name: 'PermanentError', code: 'bad-answer' }])
  })

  test('When the mapping fails, then the error says where, and shows nothing of the answer', async () => {
    const answer = '{ "levels": [answer.rows.{ "sku": code, "level": $number(quantity) }] }'
    const { pages } = await read([{ rows: [row('TEE', 'Nordmann')] }], { answer })
    expect(pages).toMatchObject([
      {
        code: 'bad-mapping',
        message: expect.stringMatching(/^oms: stock\.readLevels\.answer: it cannot be evaluated/),
      },
    ])
    expect(String(pages[0])).not.toContain('Nordmann')
  })
})

test.each<[string, object, string]>([
  ['misspells the location', { path: '/stock/{{loction}}' }, 'path'],
  ['must have a page, and the first has none', { path: '/stock/{{page}}' }, 'path'],
  ['counts on a page that is no number', { query: { page: '{{page + 1}}' } }, 'query.page'],
  ['misspells a parameter', { query: { page: '{{pge}}' } }, 'query.page'],
  ['calls a function that there is not', { answer: '$lvels(answer)' }, 'answer'],
  ['is no JSONata', { answer: '{ "levels": [' }, 'answer'],
  ['has a body', { body: 'page' }, 'body'],
  ['says nothing of the answer', { answer: undefined }, 'answer'],
])('When the request %s, then config is refused by place', (_, given, place) => {
  const stock = { setLevels: { path: '/stock' }, readLevels: { ...READ, ...given } }
  const { error } = rest.options.safeParse({ url: 'https://oms.example.com', stock })
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([`stock.readLevels.${place}`])
})
