import { expect } from 'vitest'
import type { NewAuditRow } from '../../../src/storage/rows.ts'
import { by, claim, REFUSED, settle } from '../acting.ts'
import type { StoreTest } from '../under-test.ts'

/** What people did stands in the audit, and at what it touched. */
export function auditing(test: StoreTest): void {
  test('When a filter selects several, then one act is in the audit, and each delivery and event tells it', async (the) => {
    const { storage, clock, about } = the
    const [first] = await storage.accept([about('a'), about('b'), about('c')])
    await settle(storage, await claim(storage), REFUSED, clock.now())
    const [kept] = await storage.deliveries({ event: first?.id ?? 0 })
    await storage.skip({ id: kept?.id ?? 0 }, { ...by(clock.now()), by: 'ola', reason: 'a test order' })

    const { act } = await storage.retry({ state: 'dead' }, by(clock.now()), false)

    const entry = { act, at: clock.now(), by: 'kari', action: 'retry', reason: 'asked for it', changed: 2 }
    for (const { id, event } of await storage.deliveries({ state: 'waiting' })) {
      expect((await storage.delivery(id))?.audit).toEqual([entry])
      expect((await storage.event(event))?.audit).toEqual([{ ...entry, delivery: id }])
    }
    expect((await storage.delivery(kept?.id ?? 0))?.audit).toMatchObject([{ by: 'ola', action: 'skip', changed: 1 }])
    expect(await storage.acts({})).toMatchObject([
      { id: act, action: 'retry', selection: '{"state":"dead"}', changed: 2, refused: null },
      { action: 'skip', by: 'ola', reason: 'a test order' },
    ])
    const detail = await storage.act(act ?? 0)
    expect(detail?.deliveries.map(({ state }) => state)).toEqual(['waiting', 'waiting'])
    expect(await storage.act(999)).toBeNull()
  })

  test('When an act is executed part by part, then it is one act, and it ends where all is done', async (the) => {
    const { storage, clock, about } = the
    await storage.accept(['a', 'b', 'c', 'd', 'e'].map((entity) => about(entity)))
    const part = (act: number | null, after: number) => ({ ...by(clock.now()), part: { act, after, most: 2 } })

    const one = await storage.skip({ destination: 'shop' }, part(null, 0))
    expect(one).toMatchObject({ matched: 5, changed: 2, sample: [{ state: 'skipped' }, { state: 'skipped' }] })
    expect(await storage.deliveries({ state: 'waiting' }), 'whoever stops here has left them').toHaveLength(3)
    const two = await storage.skip({ destination: 'shop' }, part(one.act, one.next ?? 0))
    expect(two).toMatchObject({ matched: null, changed: 2, act: one.act })
    const three = await storage.skip({ destination: 'shop' }, part(one.act, two.next ?? 0))
    expect(three).toMatchObject({ changed: 1, next: null })

    expect(await storage.acts({})).toMatchObject([{ id: one.act, changed: 5 }])
    expect((await storage.act(one.act ?? 0))?.deliveries).toHaveLength(5)
  })

  test('When an act is noted with what it touched, then each of that tells it, and nothing else does', async (the) => {
    const { storage, about } = the
    const events = (await storage.accept([about('a'), about('b')])).map(({ id }) => id)
    const [one, other] = await Promise.all(
      events.map(async (event) => (await storage.deliveries({ event }))[0]?.id ?? 0),
    )
    const onEvent = await storage.noteAct(actOf({ action: 'export' }), events.slice(0, 1))
    const onDelivery = await storage.noteAct(actOf({ action: 'resend' }), [], [one ?? 0])
    await storage.noteAct(actOf({ action: 'pause' }), [])

    const reported = async (event = 0) =>
      (await storage.event(event))?.audit.map(({ act, delivery }) => ({ act, delivery }))
    expect(await reported(events[0])).toEqual(
      expect.arrayContaining([
        { act: onEvent, delivery: null },
        { act: onDelivery, delivery: one },
      ]),
    )
    expect(await reported(events[1])).toEqual([])
    expect((await storage.delivery(one ?? 0))?.audit).toMatchObject([{ act: onDelivery, action: 'resend', changed: 0 }])
    expect((await storage.delivery(other ?? 0))?.audit).toEqual([])
    expect(await storage.act(onEvent)).toMatchObject({ events: [{ id: events[0] }], deliveries: [] })
  })

  test('When an act goes on after it was noted, then it counts on, and tells once what it touches', async (the) => {
    const { storage, about } = the
    const [one = 0, two = 0] = (await storage.accept([about('a'), about('b')])).map(({ id }) => id)
    const act = await storage.noteAct(actOf({ action: 'replay', changed: 1 }), [one])
    await storage.extendAct(act, 2, [one, two])
    await storage.extendAct(act, 4, [])

    expect(await storage.acts({})).toMatchObject([{ id: act, changed: 7 }])
    expect((await storage.act(act))?.events.map(({ id }) => id).sort()).toEqual([one, two])
    for (const event of [one, two]) expect((await storage.event(event))?.audit).toMatchObject([{ act, changed: 7 }])
  })
}

function actOf(given: Partial<NewAuditRow>): NewAuditRow {
  return { at: 1, by: 'kari', action: 'pause', ...given }
}
