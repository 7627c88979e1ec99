import { expect, test } from 'vitest'
import { givenPlatform, subscribe } from '../../sandbox/platform/given.ts'
import { openBooked } from '../accounting/books-given.ts'

const KIND = 'GiftCardTransactionCreated'
const SEED = 20_261_122

/** Where a value stands in a payload, dotted; a person looks at an event, and sees it. */
function pathOf(payload: unknown, wanted: (value: unknown) => boolean): string {
  const walk = (value: unknown, path: string): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => walk(inner, path === '' ? name : `${path}.${name}`))
      : wanted(value)
        ? [path]
        : []
  const [found = ''] = walk(payload, '')
  return found
}

/** What one event of the kind looks like there. */
async function example(): Promise<unknown> {
  await using platform = await givenPlatform({ dialect: 'spec', seed: SEED, seedCatalogue: false })
  await subscribe(platform, KIND, 'http://127.0.0.1:9/')
  platform.actions.sellGiftCard({ store: '101', amount: 321 })
  await platform.settled()
  return platform.events()[0]?.payload
}

test('When nobody shows what a kind looks like, then it is held until config says what its fields are called, and booked once then', async () => {
  const payload = await example()
  const fields = {
    transactionId: pathOf(payload, (value) => typeof value === 'number' && value > 930_000),
    amount: pathOf(payload, (value) => value === 321),
    currency: pathOf(payload, (value) => value === 'NOK'),
    at: pathOf(payload, (value) => /^\d{4}-\d\d-\d\dT/.test(String(value))),
    storeNo: pathOf(payload, (value) => value === '101'),
  }
  const given = { dialect: 'spec', seed: SEED, seedCatalogue: false } as const

  await using unmapped = await openBooked(given)
  unmapped.platform.actions.sellGiftCard({ store: '101', amount: 321 })
  await unmapped.quiet()
  expect(await unmapped.booked('giftCard')).toEqual([])
  const { body } = await unmapped.hub.admin<{ deliveries: { kind: string; why: string }[] }>('deliveries?state=held')
  expect(body.deliveries).toMatchObject([
    { kind: KIND, why: expect.stringContaining(`platform.payloads.${KIND}.amount`) },
  ])

  await using mapped = await openBooked({ ...given, platform: { payloads: { [KIND]: fields } } })
  mapped.platform.actions.sellGiftCard({ store: '101', amount: 321 })
  await mapped.quiet()
  expect(await mapped.booked('giftCard')).toMatchObject([{ storeNo: '101' }])
  expect(JSON.stringify(await mapped.booked('giftCard'))).toContain('321')
})
