import { expect, test } from 'vitest'
import type { GapChange } from '../../src/domain/ledger/gap.ts'
import { sale } from '../fixtures/payloads.ts'
import { allDelivered, busTo, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { asking } from './run.ts'

const WHY = ['--reason', 'a test']

test('When nothing comes of what was named by its number, then how it stands is said, and the exit code is that of a wrong command line', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
  await hub.post('SaleCreated', sale())
  await hub.post('SaleCreated', 'no JSON')
  await allDelivered(hub, 1)
  const gap: GapChange['gap' & keyof GapChange] = {
    ...{ road: 'log', kind: 'SaleCreated', storeId: null, destination: null, day: null },
    ...{ cause: 'not-looked-at', subject: 'w/1', at: Date.now(), evidence: { log: { from: 1, to: 2 } } },
  } as never
  await hub.hub.store.saveLedger({ gaps: [{ type: 'see', gap }], watermarks: [] }, Date.now())
  const run = asking(hub)
  await run('gaps', 'explain', '1', ...WHY)

  const stands: [string[], RegExp][] = [
    [['deliveries', 'retry', '1'], /^Delivery 1 is delivered: retry changes nothing of that\.$/m],
    [['deliveries', 'skip', '1'], /^Delivery 1 is delivered: skip changes nothing of that\.$/m],
    [['deliveries', 'release', '1'], /^Delivery 1 is delivered: release changes nothing of that\.$/m],
    [['events', 'dismiss', '1'], /^Event 1 is routed: dismiss changes nothing of that\.$/m],
    [['events', 'dismiss', '2', '--kind', 'Other'], /^Event 2 is quarantined: dismiss changes nothing of that\.$/m],
    [['gaps', 'explain', '1'], /^Gap 1 is explained: explain changes nothing of that\.$/m],
    [['reroute', '2'], /^Event 2 is quarantined: reroute changes nothing of that\.$/m],
    [['reroute', '1', '--state', 'unrouted'], /^Event 1 is routed: reroute changes nothing of that\.$/m],
  ]
  for (const [command, says] of stands)
    for (const how of [['--dry-run'], WHY]) {
      const told = await run(...command, ...how)
      expect([command, told.code, told.out, told.err]).toEqual([command, 2, expect.stringMatching(says), ''])
      const json = await run(...command, ...how, '--json')
      expect([command, json.code, JSON.parse(json.out)]).toEqual([
        command,
        2,
        expect.objectContaining({ problems: [{ says: expect.stringMatching(says) }] }),
      ])
    }
  // Nothing new is owed, and nothing stands in the way of that.
  expect(await run('reroute', '1')).toMatchObject({ code: 0 })
})

test('When what was typed is no name at all, then a command says so, and does not ask the hub for something else', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  const commands = [
    ['order'],
    ['probe'],
    ['pause'],
    ['jobs', 'history'],
    ['jobs', 'run'],
    ['kinds', 'show'],
    ['products', 'show'],
    ['keys', 'revoke'],
  ]
  for (const command of commands)
    for (const typed of ['..', '.'])
      expect([command, await run(...command, typed)]).toEqual([
        command,
        { code: 2, out: '', err: `"${typed}" names nothing here: type a number or a name.\n` },
      ])
  for (const [command, where] of [
    [['order', 'nope'], '"tillbridge find" looks for it'],
    [['probe', 'nope'], 'Destinations: '],
    [['jobs', 'run', 'nope'], 'Jobs: '],
    [['kinds', 'show', 'nope'], '"tillbridge kinds" lists'],
    [['events', 'show', '99'], '"tillbridge archive restore <id>"'],
    [['audit', 'show', '99'], '"tillbridge audit list"'],
    [['stock', 'approve', 'nope', ...WHY], '"tillbridge stock differences"'],
  ] as const)
    expect([command, await run(...command)]).toEqual([
      command,
      { code: 2, out: '', err: expect.stringContaining(where) },
    ])
})
