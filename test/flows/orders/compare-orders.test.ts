import { expect, test } from 'vitest'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { endlessAisle, saleLine, store as storeOf } from '../../fixtures/payloads.ts'
import { compare, thereOf } from '../days/compare-kit.ts'
import { openStorage } from '../days/open-store.ts'

test('When a shop throws an order of a POS away, then it is a gap; given again, the gap closes; a cancelled one is none', async () => {
  const clock = createTestClock()
  await using storage = await openStorage({ clock })
  const { hub, platform, shop, quiet } = storage
  await hub.admin('jobs/stores/run', {})
  for (const quantity of [1, 2, 3]) platform.actions.endlessAisle({ quantity })
  await quiet()
  expect(shop.orders()).toHaveLength(3)
  const [thrown, cancelled, changed] = shop.orders()
  expect(await compare({ hub, clock })).toEqual([])
  const before = await thereOf(storage, 'shop')
  expect(before).toMatchObject({ verdict: 'proven', days: [{ flow: 'create-order', given: 3, there: 3, unknown: 0 }] })
  expect(before?.days[0]?.thereSum).toBe(before?.days[0]?.givenSum)

  shop.trash(thrown?.id ?? 0)
  await shop.setStatus(cancelled?.id ?? 0, 'cancelled')
  await shop.setStatus(changed?.id ?? 0, 'completed')
  const [gap, ...others] = await compare({ hub, clock })
  expect(others).toEqual([])
  expect(gap).toMatchObject({
    ...{ cause: 'not-there', destination: 'shop', kind: 'OmniChannelEndlessAisleOrderCreated' },
    evidence: { destination: { there: 'in the trash', flow: 'create-order' } },
  })

  const run = asking(hub)
  const delivery = String(gap?.evidence.destination?.delivery)
  const dry = await run('deliveries', 'resend', delivery, '--reason', 'thrown away by mistake', '--dry-run')
  expect(dry.out).toMatch(/can be given once more\. Nothing was sent/)
  expect(shop.orders()).toHaveLength(3)
  expect((await run('deliveries', 'resend', delivery, '--reason', 'thrown away by mistake')).code).toBe(0)
  await quiet()
  expect(shop.orders()).toHaveLength(4)
  expect(await compare({ hub, clock })).toEqual([])

  await shop.setStatus(thrown?.id ?? 0, 'processing')
  const [twice] = await compare({ hub, clock })
  expect(twice).toMatchObject({ cause: 'there-twice', id: gap?.id, evidence: { destination: { there: '2 times' } } })
  expect((await run('deliveries', 'resend', delivery, '--reason', 'again')).err).toMatch(/no open gap says/)
})

test('When a shop does not answer, then nothing is a gap and nothing is covered; who cannot be asked is named', async () => {
  const clock = createTestClock()
  await using storage = await openStorage({ clock })
  const { hub, platform, shop, quiet } = storage
  await hub.admin('jobs/stores/run', {})
  platform.actions.endlessAisle()
  await quiet()
  expect(await compare({ hub, clock })).toEqual([])
  const before = await thereOf(storage, 'shop')

  await shop.faults.down(true)
  expect(await compare({ hub, clock })).toEqual([])
  expect(await thereOf(storage, 'shop')).toMatchObject({
    until: before?.until,
    problem: expect.stringMatching(/^shop: /),
  })
  expect(await thereOf(storage, 'mail')).toMatchObject({ cannot: expect.stringMatching(/can tell of nothing/) })
  expect((await asking(hub)('complete')).out).toMatch(/mail .*cannot be asked/)
})

/* Each store has a POS 1 that counts its receipts 1, 2, 3: two orders of POS may go by one number. */

for (const [name, numbered] of [
  ['receipt', { orderNo: null, receiptNo: '2' }],
  ['order', { orderNo: 'EA-2', receiptNo: '2' }],
] as const)
  test(`When POS of two stores place an order under one number of the ${name}, then neither is there twice, and a lost one is a gap`, async () => {
    const clock = createTestClock()
    await using storage = await openStorage({ clock, platform: { trustWebhooks: true } })
    const { hub, shop, quiet } = storage
    await hub.admin('jobs/stores/run', {})
    const orderLines = [saleLine({ shipFromOnlineStore: true })]
    for (const storeExtId of ['101', '102']) {
      const payload = endlessAisle({ ...numbered, orderLines, store: storeOf({ storeExtId, posId: 1 }) })
      await hub.post('OmniChannelEndlessAisleOrderCreated', payload, { eventId: `of-${storeExtId}` })
    }
    await quiet()
    expect(shop.orders()).toHaveLength(2)
    expect(await compare({ hub, clock })).toEqual([])
    expect(await thereOf(storage, 'shop')).toMatchObject({ days: [{ given: 2, there: 2, unknown: 0 }] })

    shop.trash(shop.orders()[0]?.id ?? 0)
    const [gap, ...others] = await compare({ hub, clock })
    expect(others).toEqual([])
    expect(gap).toMatchObject({ cause: 'not-there', evidence: { destination: { there: 'in the trash' } } })
  })
