import { expect, test } from 'vitest'
import { sale } from '../../fixtures/payloads.ts'
import { keptIn, startTestHub } from '../../hub.ts'
import { HOUR } from '../kit.ts'
import { beside } from './ledger-kit.ts'

test('when config says where a payload names its till, and no header names events, then the log is matched by that, too', async () => {
  const mappings = { SaleCreated: { posId: 'store.register' } }
  await using hub = await startTestHub({ config: { platform: { payloads: mappings } } })
  const { platform, clock, job, gaps, lines } = beside(hub, { keyed: false, mappings })
  const { posId, ...store } = sale().store as { posId: number }
  await platform.emit('SaleCreated', sale({ store: { ...store, register: posId } }), clock.now() - HOUR)
  const { list } = platform.events
  // The log writes it otherwise than the webhook did.
  platform.events.list = async (query, signal) => {
    const answer = await list(query, signal)
    return { ...answer, rows: answer.rows.map((row) => ({ ...row, payload: { ...Object(row.payload), more: 1 } })) }
  }

  expect(await job.run()).toBe('1 subscription, 1 record')
  expect(await gaps()).toEqual([])
  expect(lines.filter(({ msg }) => msg === 'event.claimed')).toEqual([])
  expect(keptIn(hub)).toHaveLength(1)
})
