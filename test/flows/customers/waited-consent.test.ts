import { expect, test } from 'vitest'
import { createPlatform } from '../../../src/platform/platform.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { customer } from '../../fixtures/payloads.ts'
import { KEYS, openCounter } from '../../http/submissions/given.ts'
import { deliveriesOf } from '../../hub.ts'

const HOUR = 3_600_000

test('When a customer who agreed withdraws at a POS while the hub cannot tell the platform yet, then they are not written to', async () => {
  const clock = createTestClock()
  await using counter = await openCounter({ clock }, async () => ({ preset: 'frontsystems-v2' }))
  await using portal = createPlatform({ preset: 'frontsystems-v2', baseUrl: counter.platform.url, ...KEYS })
  const found = () => Array.fromAsync(portal.customers.search({ extIds: ['C-1'] }))
  const paused = async (verb: string) => await counter.hub.admin(`destinations/platform/${verb}`, { reason: 'a test' })
  const ended = async () =>
    await eventually(async () => {
      const rows = await deliveriesOf(counter.hub)
      expect(rows.filter(({ state }) => state === 'waiting' || state === 'claimed')).toEqual([])
      return rows.map(({ flow, state, code }) => `${flow} ${state} ${code}`)
    })
  const kari = { extId: 'C-1', email: 'kari@example.com', firstName: 'Kari' }
  await counter.submit('customers', { ...kari, agreedSendEmail: false, agreedSendSms: false })
  await ended()
  const [{ customerId = '' } = {}] = await found()

  await paused('pause')
  await counter.submit('customers', { ...kari, firstName: 'Karin', agreedSendEmail: true })
  clock.advance(HOUR)
  const at = new Date(clock.now()).toISOString().slice(0, -1)
  const said = { agreedSendEmail: false, agreedSendSMS: false, gdprUpdatedDateTime: at, updatedDateTime: at }
  await counter.hub.post('CustomerUpdated', customer({ customerId: Number(customerId), customerExtId: 'C-1', ...said }))
  // Whoever looks for them has the index catch up.
  await counter.hub.admin('people/find', { who: 'C-1' })
  await paused('resume')

  expect(await ended()).toEqual(['save-customer delivered delivered', 'save-customer delivered delivered'])
  expect((await asking(counter.hub)('deliveries', 'show', '2')).out).toContain(
    'without what the customer has revoked since, by event 3',
  )
  expect((await found()).map(({ record }) => record)).toMatchObject([
    { firstName: 'Karin', agreedSendEmail: false, agreedSendSms: false },
  ])
})
