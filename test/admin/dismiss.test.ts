import { expect, test } from 'vitest'
import { notThere } from '../../src/domain/values/text.ts'
import { asking } from '../cli/run.ts'
import { sale } from '../fixtures/payloads.ts'
import { startTestHub } from '../hub.ts'

test('When events are unrouted, quarantined and in conflict, then a person dismisses them, and nothing needs a person', async () => {
  await using hub = await startTestHub()
  const run = asking(hub)
  await hub.post('BrandNewKind', { what: 'is this' })
  await hub.post('BrandNewKind', 'no JSON')
  await hub.post('SaleCreated', sale())
  await hub.post('SaleCreated', sale({ total: 350 }))

  const before = await run('status')
  expect(before.code).toBe(1)
  for (const name of ['unrouted', 'quarantined', 'conflict']) expect(before.out).toContain(`problem  event ${name}: `)
  expect(before.out).toContain('Events: 2 unrouted, 1 quarantined, 1 in conflict.')

  // What nobody wanted is one thing, and what contradicts another: they are counted apart, and a list shows what is counted.
  const conflicting = 'contradicts event 3'
  const unrouted = await run('events', 'list', '--state', 'unrouted')
  expect(unrouted.out.trim().split('\n')).toHaveLength(3)
  expect(unrouted.out).not.toContain(conflicting)
  expect((await run('events', 'list', '--conflict')).out).toContain(conflicting)
  const nobodyWants = await run('events', 'dismiss', '--state', 'unrouted', '--dry-run')
  expect(nobodyWants.out).toContain('dismiss would touch 2 events.')
  const rerouted = await run('reroute', '--kind', 'SaleCreated', '--dry-run')
  expect(rerouted.out).toContain('1 event left, in conflict: compare ("tillbridge events list --conflict")')

  const noReason = await run('events', 'dismiss', '--state', 'unrouted')
  expect(noReason).toMatchObject({ code: 2, err: expect.stringContaining('reason: say why (--reason)') })
  const why = ['--reason', 'nobody wants that kind']
  const everything = await run('events', 'dismiss', ...why)
  expect(everything).toMatchObject({ code: 2, err: expect.stringContaining('filter: say which') })
  const dry = await run('events', 'dismiss', '--kind', 'BrandNewKind', '--dry-run', ...why)
  expect(dry.out).toContain('dismiss would touch 2 events. Nothing was changed.')
  const done = await run('events', 'dismiss', '--kind', 'BrandNewKind', ...why)
  expect(done.out).toContain('dismiss: 2 of 2 events (audit entry 3).')
  expect((await run('events', 'dismiss', '3', ...why)).out).toContain('1 of 1')
  expect((await run('events', 'dismiss', '--conflict', ...why)).out).toContain('1 of 1')

  // Said once more, of one that is dismissed, of one that nothing is wrong with, and of one that is not there.
  expect((await run('events', 'dismiss', '3', ...why)).out).toMatch(
    /^dismiss: no event is one that it changes .*\nEvent 3 is \w+: dismiss changes nothing of that\.$/m,
  )
  expect(await run('events', 'dismiss', '99', ...why)).toMatchObject({ code: 2, err: `${notThere('event', 99)}\n` })

  const after = await run('status')
  expect(after).toMatchObject({ code: 0, out: expect.stringMatching(/^Nothing needs a person\./) })
  expect((await run('events', 'list', '--state', 'unrouted', '--no-dismissed')).out).toBe('No such events.\n')
  expect((await run('events', 'list', '--dismissed')).out).toMatch(/dismissed by .+: nobody wants that kind/)
})
