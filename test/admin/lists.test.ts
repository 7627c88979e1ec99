import { expect, test } from 'vitest'
import { asking } from '../cli/run.ts'
import { sale } from '../fixtures/payloads.ts'
import { startTestHub } from '../hub.ts'
import { createArrivals } from '../store/arrivals.ts'

test('When the hub has told itself of many levels, then lists of events leave them out and say so; a name that nobody knows is named', async () => {
  await using hub = await startTestHub()
  await hub.post('SaleCreated', sale())
  const { arrival } = createArrivals({ now: Date.now })
  const level = () => arrival({ kind: 'StockLevelRead', origin: 'platform', deliveries: [] })
  await hub.hub.store.accept(Array.from({ length: 600 }, level))
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

test('When a list has more than a page, then it says where it goes on, until all of it was shown', async () => {
  await using hub = await startTestHub()
  const { arrival } = createArrivals({ now: Date.now })
  await hub.hub.store.accept(Array.from({ length: 5 }, () => arrival({ kind: 'SaleCreated' })))
  type Page = { events?: { id: number }[]; deliveries?: { id: number }[]; before: number | null }
  for (const [list, path] of [
    ['events', 'events?own=hide'],
    ['events', 'events?own=show'],
    ['deliveries', 'deliveries?'],
  ] as const) {
    const seen: number[] = []
    for (let next: number | null = 99; next !== null; ) {
      const { body }: { body: Page } = await hub.admin<Page>(`${path}&limit=2&before=${next}`)
      seen.push(...(body[list] ?? []).map(({ id }) => id))
      next = body.before
    }
    expect([path, seen]).toEqual([path, [5, 4, 3, 2, 1]])
    expect((await asking(hub)(list, 'list', '--limit', '2')).out).toMatch(
      /^There are more, or may be: --before 4 goes on\.$/m,
    )
    expect((await asking(hub)(list, 'list', '--limit', '5')).out).not.toContain('There are more')
  }
})
