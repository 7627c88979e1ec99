import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MirrorRow } from '../../../src/domain/catalogue/mirror.ts'
import type { Certificate } from '../../../src/domain/ledger/certificate/certificate.ts'
import { ADMIN_TOKEN, createFolder } from '../../hub.ts'
import { openDesk, storeRecord } from '../../receiver/mirror/given.ts'
import { tillbridge } from '../run.ts'

const DAY = '2026-11-20'
const ALONE = { article: null, part: null, version: 0, tie: 0 }

const sale = (key: string, place: string, total: string, day = DAY): MirrorRow => ({
  ...{ ...ALONE, set: 'sales', key, place, day },
  body: { storeNo: place, posId: '1', total, currency: 'NOK' },
})

const ROWS: MirrorRow[] = [
  sale('s-1', '101', '100.10'),
  sale('s-2', '101', '249'),
  sale('s-3', '201', '7'),
  sale('s-4', '101', '9', '2026-11-21'),
  {
    ...{ ...ALONE, set: 'settlements', key: 'z-1', place: '101', day: DAY },
    body: {
      ...{ posId: '1', batchNumber: '4711', grandTotal: '349.10', currency: 'NOK' },
      fiscal: { number: '7', counters: { sales: '9000.10', returns: '1', net: '8999.10' } },
    },
  },
  { ...{ ...ALONE, set: 'movements', key: 'm-1', place: '12', day: DAY }, body: { quantity: '-2' } },
  {
    ...{ ...ALONE, set: 'sales-lines', key: 'l-1', place: '101', day: DAY },
    body: { storeId: '42', quantity: '-2', unitPrice: '10.50', currency: 'NOK' },
  },
  // The web shop's id is 101.
  {
    ...{ ...ALONE, set: 'sales-lines', key: 'l-2', place: '101', day: DAY },
    body: { storeId: '101', quantity: '1', unitPrice: '1', currency: 'NOK' },
  },
]

/** The rows of store 101, as its certificate lists them. */
const OF_OSLO = {
  sales: [
    ['s-1', '100.10', 'NOK'],
    ['s-2', '249', 'NOK'],
  ],
  'sales-lines': [['l-1', '-21', 'NOK']],
  settlements: [['z-1', '349.10', 'NOK']],
  movements: [['m-1', '-2', null]],
}

async function openHub() {
  const desk = await openDesk()
  await desk.save(...ROWS)
  const env = { TILLBRIDGE_URL: desk.hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN, TILLBRIDGE_OPERATOR: 'kari' }
  return { desk, ask: (...args: string[]) => tillbridge(args, env) }
}

describe('a certificate of a day', () => {
  test('when an auditor gets one, then it lists that day of that store alone, and is verified without a hub', async () => {
    await using folder = await createFolder()
    const [file, page] = [join(folder.path, 'day.json'), join(folder.path, 'day.html')]
    const { desk, ask } = await openHub()
    await using _ = desk
    const made = await ask('certificate', 'make', '--store', '101', '--day', DAY, '--out', file, '--page', page)
    expect(made).toMatchObject({ code: 0 })
    expect(made.out).toMatch(/sales +2 +349\.10 NOK/)
    expect(made.out).toMatch(/Store 101 Oslo City, 2026-11-20\. Whether something is missing was not known/)
    const certificate = JSON.parse(await readFile(file, 'utf8')) as Certificate
    expect(certificate).toMatchObject({
      store: { id: '42', number: '101' },
      from: '2026-11-19T23:00:00.000Z',
      to: '2026-11-20T23:00:00.000Z',
      verdict: 'unknown',
      settlements: [{ till: '1', number: '7', grandTotal: '349.10', counter: '8999.10' }],
      rows: OF_OSLO,
    })
    expect(certificate.sets.find(({ set }) => set === 'sales')).toMatchObject({
      count: 2,
      sums: [{ currency: 'NOK', sum: '349.1' }],
    })
    expect(await readFile(page, 'utf8')).toMatch(/<h1>Store 101 Oslo City, 2026-11-20<\/h1>/)

    const key = certificate.key.id
    expect((await ask('certificate', 'keys')).out).toContain(key)
    await desk.hub[Symbol.asyncDispose]()
    const right = await tillbridge(['certificate', 'verify', file, '--key', key], {})
    expect(right).toMatchObject({ code: 0, out: expect.stringContaining('It holds') })
    await writeFile(file, (await readFile(file, 'utf8')).replace('249', '24.9'))
    const wrong = await tillbridge(['certificate', 'verify', file], {})
    expect(wrong).toMatchObject({
      code: 1,
      out: expect.stringMatching(/The signature is not of this text.*it says .*349\.1.*its rows .*"125"/s),
    })
    await writeFile(file, '{"format":"tillbridge-certificate-1"}')
    const none = await tillbridge(['certificate', 'verify', file], {})
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('is no certificate: store') })
  })

  test('when the key is rotated, then the next one is signed with the new one, and the old one still holds', async () => {
    await using folder = await createFolder()
    const { desk, ask } = await openHub()
    await using _ = desk
    const files = ['old.json', 'new.json'].map((name) => join(folder.path, name))
    await ask('certificate', 'make', '--store', '101', '--day', DAY, '--out', files[0] ?? '')
    expect((await ask('certificate', 'rotate-key')).out).toMatch(/^[0-9a-f]{16} signs from now on/)
    await ask('certificate', 'make', '--store', '42', '--day', DAY, '--out', files[1] ?? '')
    const ids = await Promise.all(
      files.map(async (file) => (JSON.parse(await readFile(file, 'utf8')) as Certificate).key.id),
    )
    expect(new Set(ids).size).toBe(2)
    for (const file of files) expect((await ask('certificate', 'verify', file)).code).toBe(0)
    const { acts } = (await desk.hub.admin<{ acts: { action: string }[] }>('audit')).body
    const actions = acts.map(({ action }) => action).filter((action) => action !== 'create-key')
    expect(actions).toEqual(['certify', 'rotate-signing-key', 'certify', 'rotate-signing-key'])
  })

  test('when the store has another number today, then it lists what it sold under the one of then, and nothing of who has that today', async () => {
    await using folder = await createFolder()
    const { desk, ask } = await openHub()
    await using _ = desk
    await desk.save(sale('s-5', '201', '12', '2026-11-21'))
    const [oslo, malmo] = [
      storeRecord('42', { number: '301', name: 'Oslo City', stockId: '19' }),
      storeRecord('43', { number: '101', name: 'Malmö', stockId: '12' }),
    ]
    await desk.hub.hub.store.saveStores([oslo, malmo], Date.parse('2026-11-24T12:00:00Z'))
    const rowsOf = async (store: string) => {
      const file = join(folder.path, `${store}.json`)
      await ask('certificate', 'make', '--store', store, '--day', DAY, '--out', file)
      return (JSON.parse(await readFile(file, 'utf8')) as Certificate).rows
    }
    expect(await rowsOf('301')).toEqual(OF_OSLO)
    expect(await rowsOf('101')).toMatchObject({ sales: [['s-3', '7', 'NOK']], settlements: [], movements: [] })

    const missing = async (store: string) =>
      (await desk.hub.admin(`settlements/missing?from=${DAY}&to=2026-11-21&store=${store}`)).body
    expect(await missing('301')).toMatchObject({
      sales: 3,
      settlements: 1,
      missing: [{ store: '101', day: '2026-11-21' }],
    })
    expect(await missing('43')).toMatchObject({ sales: 2, settlements: 0 })
  })

  test('when another store has its number, too, then what nobody can tell apart is on no list of theirs, and both say so', async () => {
    await using folder = await createFolder()
    const { desk, ask } = await openHub()
    await using _ = desk
    const alike = ['42', '43'].map((id) => storeRecord(id, { number: '101', stockId: id === '42' ? '12' : '13' }))
    await desk.hub.hub.store.saveStores(alike, Date.parse('2026-11-10T12:00:00Z'))
    const made = async (store: string) => {
      const file = join(folder.path, `${store}.json`)
      const { out } = await ask('certificate', 'make', '--store', store, '--day', DAY, '--out', file)
      return { out, ...(JSON.parse(await readFile(file, 'utf8')) as Certificate) }
    }
    // What was sold under 201 is of the store that had that number once.
    for (const [store, sales, lines] of [
      ['42', [], [['l-1', '-21', 'NOK']]],
      ['43', [['s-3', '7', 'NOK']], []],
    ] as const) {
      const certificate = await made(store)
      expect(certificate).toMatchObject({
        verdict: 'unknown',
        rows: { sales, settlements: [], 'sales-lines': lines },
        owed: [
          { kind: 'sales', state: 'perhaps of another store', count: 2 },
          { kind: 'settlements', state: 'perhaps of another store', count: 1 },
        ],
      })
      expect(certificate.out).toMatch(/^sales +perhaps of another store +2 *$/m)
    }
  })

  test('when the id of a store is the number of another one, then it lists nothing of that one', async () => {
    await using folder = await createFolder()
    const { desk, ask } = await openHub()
    await using _ = desk
    const file = join(folder.path, 'web.json')
    await ask('certificate', 'make', '--store', 'web', '--day', DAY, '--out', file)
    expect(JSON.parse(await readFile(file, 'utf8')).rows).toMatchObject({
      ...{ sales: [], settlements: [] },
      'sales-lines': [['l-2', '1', 'NOK']],
    })
  })

  test('when a store sold under its new number for days before the hub could read that, then the certificate lists that, too', async () => {
    await using folder = await createFolder()
    const { desk, ask } = await openHub()
    await using _ = desk
    await desk.save(sale('s-8', '301', '30'))
    const stores = [storeRecord('42', { number: '301' }), storeRecord('43', { number: '201' })]
    await desk.hub.hub.store.saveStores(stores, Date.parse('2026-11-24T12:00:00Z'))
    const file = join(folder.path, 'day.json')
    await ask('certificate', 'make', '--store', '301', '--day', DAY, '--out', file)
    const { rows } = JSON.parse(await readFile(file, 'utf8')) as Certificate
    expect(rows.sales.map(([key]) => key)).toEqual(['s-1', 's-2', 's-8'])
  })

  test('when two stores change their numbers with each other in the night, then each has its own sales of the day before', async () => {
    await using folder = await createFolder()
    const { desk, ask } = await openHub()
    await using _ = desk
    const soldAt = (row: MirrorRow, at: string) => ({ ...row, body: { ...row.body, soldAt: at } })
    await desk.save(...['s-1', 's-2'].map((key) => soldAt(sale(key, '101', '100'), `${DAY}T23:30:00`)))
    await desk.save(soldAt(sale('s-3', '201', '7'), `${DAY}T09:00:00`))
    const swapped = [storeRecord('42', { number: '201' }), storeRecord('43', { number: '101', countryCode: 'SE' })]
    await desk.hub.hub.store.saveStores(swapped, Date.parse('2026-11-21T04:00:00Z'))
    const salesOf = async (store: string) => {
      const file = join(folder.path, `${store}.json`)
      await ask('certificate', 'make', '--store', store, '--day', DAY, '--out', file)
      return (JSON.parse(await readFile(file, 'utf8')) as Certificate).rows.sales.map(([key]) => key)
    }
    expect(await salesOf('201')).toEqual(['s-1', 's-2'])
    expect(await salesOf('101')).toEqual(['s-3'])
  })

  test('when the number of a store is the id of another, then neither has what the other sold, nor is it settled by it', async () => {
    await using folder = await createFolder()
    const { desk, ask } = await openHub()
    await using _ = desk
    const stores = [storeRecord('42', { number: '101', stockId: '12' }), storeRecord('99', { number: '42' })]
    await desk.hub.hub.store.saveStores(stores, Date.parse('2026-11-18T12:00:00Z'))
    const settled = {
      posId: '1',
      storeId: '42',
      storeNo: '101',
      from: `2026-11-21T09:00:00`,
      to: `2026-11-21T20:00:00`,
    }
    await desk.save(sale('s-6', '42', '55'), sale('s-7', '42', '11', '2026-11-21'), {
      ...{ ...ALONE, set: 'settlements', key: 'z-2', place: '101', day: '2026-11-21' },
      body: settled,
    })
    const file = join(folder.path, 'day.json')
    await ask('certificate', 'make', '--store', '101', '--day', DAY, '--out', file)
    const { rows } = JSON.parse(await readFile(file, 'utf8')) as Certificate
    expect(rows.sales.map(([key]) => key)).toEqual(['s-1', 's-2'])
    const { body } = await desk.hub.admin(`settlements/missing?from=2026-11-21&to=2026-11-21&store=42`)
    expect(body).toMatchObject({ sales: 1, missing: [{ store: '42', posId: '1', day: '2026-11-21' }] })
  })

  test('when a store that is new got the number that another had, then what that one sold before is looked at, whoever it may be of', async () => {
    const { desk } = await openHub()
    await using _ = desk
    const stores = [storeRecord('42', { number: '301', stockId: '12' }), storeRecord('50', { number: '101' })]
    await desk.hub.hub.store.saveStores(stores, Date.parse('2026-11-24T12:00:00Z'))
    const { body } = await desk.hub.admin('settlements/missing?from=2026-11-21&to=2026-11-21&store=301')
    expect(body).toMatchObject({ sales: 1, missing: [{ store: '101', posId: '1', day: '2026-11-21' }] })
  })

  test.each([
    [['--store', '999', '--day', DAY], 'no store "999" is known'],
    [['--store', '101', '--day', '2999-01-01'], 'day: 2999-01-01 ends in that store at 2999-01-01T23:00'],
    [['--store', '101', '--day', 'friday'], 'expected a day, such as'],
  ])('when one asks for %s, then it is told what is wrong', async (args, words) => {
    const { desk, ask } = await openHub()
    await using _ = desk
    expect(await ask('certificate', 'make', ...args)).toMatchObject({ code: 2, err: expect.stringContaining(words) })
  })
})
