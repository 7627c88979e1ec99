import { describe, expect, test } from 'vitest'
import type { ErasedPerson } from '../../../../src/admin/data-subjects.ts'
import type { FoundPerson } from '../../../../src/privacy/report.ts'
import { eventually } from '../../../eventually.ts'
import { customer } from '../../../fixtures/payloads.ts'
import { startTestHub, type TestHub } from '../../../hub.ts'
import { testOnPostgres, ZEB } from '../zeb.ts'

const IDS = { customerId: 1007, customerExtId: 'shop:17' }
const MIRRORED = { key: 'M-1', place: '101', article: null, day: '2026-11-20', part: null, version: 0, tie: 0 }

/** What is left in a store when payloads have gone: only names of events, and rows of the mirror. */
const REMAINS: Record<string, (hub: TestHub) => Promise<void>> = {
  'the name of an event': async (hub) => {
    await hub.post('CustomerUpdated', customer({ ...ZEB, ...IDS }), { eventId: 'Z-9' })
    // The index has it, or else the erasure would wait for it.
    await eventually(async () => {
      const found = await hub.admin<FoundPerson>('people/find', { who: String(IDS.customerId) })
      expect(found.body.events).toBe(1)
    })
    const { storage } = hub.hub
    const here = (await storage.payloadKinds(0, 1_000)).filter(({ kind }) => kind === 'CustomerUpdated')
    await storage.dropPayloads(here.map(({ id }) => id))
  },
  "a sale by the platform's id": (hub) => saved(hub, { customerId: '1007', customer: { firstName: ZEB.firstName } }),
  'a sale by an id of an own system': (hub) => saved(hub, { customerId: null, customer: { number: 'shop:17' } }),
  'a sale by a number': (hub) => saved(hub, { customerId: null, customer: { phone: '+4741239876' } }),
  'a comment with an address': (hub) => saved(hub, { comment: `for ${ZEB.email}, soon` }, 'goods-deliveries'),
}

async function saved({ hub }: TestHub, body: Record<string, unknown>, set: 'sales' | 'goods-deliveries' = 'sales') {
  await hub.storage.saveMirror([{ type: 'put', row: { ...MIRRORED, set, body } }], Date.now())
}

/** Forgets somebody, brings in what a backup has of them whose payloads have gone, and repeats it by the proof; what is left. */
async function leftAfter(remains: string, store?: { url: string }): Promise<string> {
  await using hub = await startTestHub({ config: { mirror: 'all', ...(store && { store }) } })
  await hub.post('CustomerCreated', customer({ ...ZEB, ...IDS }), { eventId: 'Z-1' })
  const erased = await settled(hub, 'people/erase', { who: ZEB.email })
  await REMAINS[remains]?.(hub)
  // Of others there is more than one page.
  const others = Array.from({ length: 450 }, (_, index) => ({ ...MIRRORED, key: `O-${index}` }))
  const body = { customerId: '10070', customer: { email: 'kari@example.com', number: 'shop:170' } }
  await hub.hub.storage.saveMirror(
    others.map((row) => ({ type: 'put', row: { ...row, day: '2026-11-01', set: 'sales', body } })),
    Date.now(),
  )

  const again = await settled(hub, 'people/repeat', { proof: erased.proof })
  expect(again.proof?.pseudonym).toBe(erased.proof?.pseudonym)
  const events = (await hub.hub.storage.events({ limit: 10 })).map(({ entity, identity }) => ({ entity, identity }))
  const sales = await hub.hub.storage.mirrorPage({ set: 'sales' }, null, 1_000)
  expect(sales.filter((row) => JSON.stringify(row.body) === JSON.stringify(body))).toHaveLength(others.length)
  const deliveries = await hub.hub.storage.mirrorPage({ set: 'goods-deliveries' }, null, 10)
  return JSON.stringify([events, sales.filter(({ key }) => key === MIRRORED.key), deliveries])
}

/** Beside transactions of others on a server, the index may come later. */
async function settled(hub: TestHub, path: string, asked: object): Promise<ErasedPerson> {
  return await eventually(async () => {
    const { status, body } = await hub.admin<ErasedPerson>(path, { ...asked, reason: 'asked', skipOpen: true })
    expect({ status, body }).toMatchObject({ status: 200 })
    return body
  }, 10_000)
}

const OF_ZEB = /1007\b|shop:17\b|shop%3A17\b|Zeb|41239876/i

describe.each(Object.keys(REMAINS))('a restored backup that has of somebody only %s', (remains) => {
  test('When the proof repeats the erasure there, then nothing of them is left', async () => {
    expect(await leftAfter(remains)).not.toMatch(OF_ZEB)
  })

  testOnPostgres('Nothing is left', async (store) => {
    expect(await leftAfter(remains, store)).not.toMatch(OF_ZEB)
  })
})
