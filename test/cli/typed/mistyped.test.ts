import { expect, test } from 'vitest'
import { sale } from '../../fixtures/payloads.ts'
import { allDelivered, busTo, startTestHub } from '../../hub.ts'
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

test('When all but a few are named, as by --no-dismissed alone, then that is a verb on everything, and refused', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  for (const args of [
    ['reroute', '--no-dismissed'],
    ['events', 'dismiss', '--no-dismissed', '--reason', 'x'],
  ])
    expect(await run(...args), args.join(' ')).toMatchObject({ code: 2, err: expect.stringContaining('say which') })
})
