import { expect, test } from 'vitest'
import { sale } from '../../fixtures/payloads.ts'
import { allDelivered, busTo, createFolder, startTestHub } from '../../hub.ts'
import { startSink } from '../../sink.ts'
import { asking } from '../run.ts'

test('When a verb or a list is given a name that nobody has, then it says so, and not that there is nothing alone', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  await hub.post('SaleCreated', sale())
  await allDelivered(hub, 1)
  const run = asking(hub)
  const kind = 'The hub knows no kind "SaleCreatd". Did you mean "SaleCreated"?'
  const destination = 'The hub knows no destination "buss". Did you mean "bus"?'
  const flow = 'The hub knows no flow "pubish". Did you mean "publish"?'
  for (const [args, hint] of [
    [['deliveries', 'retry', '--destination', 'buss'], destination],
    [['deliveries', 'skip', '--flow', 'pubish', '--reason', 'x'], flow],
    [['deliveries', 'release', '--kind', 'SaleCreatd', '--reason', 'x'], kind],
    [['deliveries', 'retry', '--kind', 'SaleCreatd', '--dry-run'], kind],
    [['reroute', '--kind', 'SaleCreatd', '--dry-run'], kind],
    [['reroute', '--kind', 'SaleCreatd'], kind],
    [['events', 'dismiss', '--kind', 'SaleCreatd', '--reason', 'x'], kind],
    [['gaps', 'list', '--kind', 'SaleCreatd'], kind],
    [['gaps', 'list', '--destination', 'buss'], destination],
    [['gaps', 'explain', '--destination', 'buss', '--reason', 'x'], destination],
  ] as const) {
    const { code, out, err } = await run(...args)
    expect([args, code, err, out.split('\n').includes(hint)]).toEqual([args, 0, '', true])
    expect(JSON.parse((await run(...args, '--json')).out)).toMatchObject({ hint })
  }
  for (const args of [
    ['deliveries', 'retry', '--destination', 'bus'],
    ['reroute', '--kind', 'SaleCreated'],
    ['gaps', 'list', '--kind', 'SaleCreated'],
  ])
    expect((await run(...args)).out, args.join(' ')).not.toContain('The hub knows no')
})

test('When files are wanted again of a flow that writes none, then that is refused, and the flow that was meant is named', async () => {
  await using folder = await createFolder()
  await using hub = await startTestHub({
    destinations: {
      erp: { adapter: 'files', folder: folder.path, write: { sale: { name: 'sale-{key}', format: 'json' } } },
    },
  })
  const run = asking(hub)
  const days = ['--destination', 'erp', '--from', '2026-11-16', '--to', '2026-11-22', '--dry-run']
  const { code, err } = await run('files', 'again', ...days, '--flow', 'book-sale,book-settlemnt')
  expect([code, err]).toEqual([
    2,
    'flows: no flow "book-settlemnt" writes for a back office; did you mean "book-settlement"?\n',
  ])
  expect(await run('files', 'again', ...days, '--flow', 'book-sale')).toMatchObject({ code: 0 })
})

test('When a verb is told nothing of which, or why, then what it names is what that verb takes', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  const said = async (...args: string[]) => (await run(...args)).err.trim()
  const which = 'filter: say which: an id, or at least one of'
  expect(await said('deliveries', 'retry')).toBe(
    `${which} destination, state, kind, flow, entity, event, code, since, until.`,
  )
  expect(await said('reroute')).toBe(`${which} kind, state, conflict, reused-key, dismissed, entity, since, until.`)
  expect(await said('gaps', 'explain', '--reason', 'x')).toBe(`${which} road, cause, kind, store-id, destination, day.`)
  // Nothing is given up by looking.
  expect(await said('people', 'export', 'ola@example.com')).toBe('reason: say why (--reason); the audit keeps it.')
  expect(await said('deliveries', 'skip', '1')).toBe('reason: say why (--reason); the audit keeps it.')
})

test('When all but a few are named, as by --no-dismissed alone, then that is a verb on everything, and refused', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  for (const args of [
    ['reroute', '--no-dismissed'],
    ['events', 'dismiss', '--no-dismissed', '--reason', 'x'],
  ])
    expect(await run(...args), args.join(' ')).toMatchObject({ code: 2, err: expect.stringContaining('say which') })
})

test('When nobody has compared anything, then an empty list says so, and not that there are no differences', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  for (const [args, job] of [
    [['stock', 'differences'], 'reconcile-stock'],
    [['products', 'differences'], 'read-back'],
    [['products', 'words'], 'products'],
    [['products', 'unsellable'], 'products'],
  ] as const)
    expect((await run(...args)).out).toBe(`Nobody has looked: by this config there is no job ${job}.\n`)
  expect((await run('gaps', 'list')).out).toBe(
    'None is known. "tillbridge complete" tells until when anybody has looked.\n',
  )

  const at = { baseUrl: 'http://127.0.0.1:9', preset: 'spec' as const, apiKey: 'x', subscriptionKey: 'y' }
  await using asked = await startTestHub({ config: { platform: at, mirror: 'all' } })
  expect((await asking(asked)('products', 'words')).out).toBe('Nobody has looked yet: tillbridge jobs run products.\n')
})

test('When a list has as many rows as were asked for, then it says that there may be more', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  for (const body of ['a', 'b', 'c']) await hub.post('SaleCreated', body)
  await run('events', 'dismiss', '1', '--reason', 'x')
  await run('retention', 'hold', '1', '2', '3', '--reason', 'x')
  expect((await run('audit', 'list', '--limit', '2')).out).toMatch(
    /^There may be more: --limit, --since and --until tell others\.$/m,
  )
  expect((await run('retention', 'holds', '--limit', '2')).out).toMatch(/^There may be more: --after 2 goes on\.$/m)
  for (const list of [
    ['audit', 'list'],
    ['retention', 'holds'],
  ])
    expect((await run(...list)).out).not.toContain('There may be')
})
