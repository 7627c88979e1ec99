import { expect, test } from 'vitest'
import { asking } from '../cli/run.ts'
import { sale } from '../fixtures/payloads.ts'
import { startTestHub } from '../hub.ts'
import { createArrivals } from '../storage/arrivals.ts'

test('When the hub has told itself of many levels, then lists of events leave them out and say so; a name that nobody knows is named', async () => {
  await using hub = await startTestHub()
  await hub.post('SaleCreated', sale())
  const { arrival } = createArrivals({ now: Date.now })
  const level = () => arrival({ kind: 'StockLevelRead', origin: 'platform', deliveries: [] })
  await hub.hub.storage.accept(Array.from({ length: 600 }, level))
  const run = asking(hub)

  const listed = await run('events', 'list')
  expect(listed.out).toMatch(/SaleCreated/)
  expect(listed.out).not.toMatch(/ StockLevelRead /)
  expect(listed.out).toMatch(
    /^600 of the hub's own \(StockChanged, StockLevelRead\) are left out: --all shows them\.$/m,
  )
  expect((await run('events', 'list', '--all', '--limit', '3')).out).not.toMatch(/SaleCreated|left out/)
  expect(
    (await run('events', 'list', '--kind', 'StockLevelRead', '--limit', '2')).out.match(/StockLevelRead/g),
  ).toHaveLength(2)

  expect((await run('events', 'list', '--kind', 'SaleCreatd')).out).toBe(
    'The hub knows no kind "SaleCreatd". Did you mean "SaleCreated"?\n',
  )
  expect((await run('deliveries', 'list', '--flow', 'email-reciept')).out).toMatch(/Did you mean "email-receipt"\?/)
  for (const verb of ['show', 'retry']) {
    const wrong = await run('deliveries', verb, 'abc')
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/abc.*It is a whole number, such as 77/)])
  }
})
