import { describe, expect, test } from 'vitest'
import { PermanentError, RetryLaterError, type WaitError } from '../../src/domain/values/errors.ts'
import { EMPTY_CONTEXT, type Guard, type Guarded } from '../../src/flows/flow.ts'
import {
  dependsOn,
  dependsOnEarlier,
  onlyIfNotified,
  respectsConsent,
  stillTrue,
  supersededBy,
  undoes,
} from '../../src/flows/guards.ts'
import type { Claim } from '../../src/storage/claim.ts'
import type { DeliveryFilter, DeliveryRow } from '../../src/storage/rows.ts'
import { customer, orderUpdate } from '../fixtures/payloads.ts'
import { HOUR, MINUTE, SECOND } from '../storage/acting.ts'
import { claimOf, eventOf, NOW } from './kit/parts.ts'
import { sourcesOf } from './sources.ts'

const { signal } = new AbortController()

/** What a guard says, and what it asks for that. */
function guarded({ check }: Guard, claim: Claim, given: Parameters<typeof sourcesOf>[0] = {}) {
  const { sources, asked } = sourcesOf(given)
  const step: Guarded = {
    ...{ ...claim, part: claim.delivery.part, now: NOW, onlyLook: false, makesCall: () => false },
    known: { ...EMPTY_CONTEXT, storeOf: sources.storeOf },
  }
  return { asked, verdict: Promise.resolve(check?.(step, sources, signal)) }
}

describe('while the making of what a step is about is owed to the same destination', () => {
  const rows = (...states: DeliveryRow['state'][]) => states.map((state, no) => ({ id: no + 1, state }) as DeliveryRow)
  function untilOf(age: number, pending: DeliveryRow[], entity: string | null = 'order:A1') {
    const asked: DeliveryFilter[] = []
    const deliveries = async (filter: DeliveryFilter) => {
      asked.push(filter)
      return pending
    }
    const claim = claimOf({ destination: 'shop' }, { event: eventOf({}, { receivedAt: NOW - age }) })
    const { verdict } = guarded(
      dependsOn(() => entity),
      claim,
      { deliveries },
    )
    const ends = verdict.then(
      () => 'goes',
      ({ message, code, until }: WaitError) => ({ message, code, in: until - NOW }),
    )
    return { asked, ends }
  }

  for (const state of ['waiting', 'claimed', 'held'] as const)
    test(`when it is ${state}, then the step waits, and says for which`, async () => {
      const { asked, ends } = untilOf(0, rows('delivered', state, 'waiting'))
      expect(await ends).toEqual({
        message: 'delivery 2 goes first: it makes what this one is about',
        code: 'not-its-turn',
        in: SECOND,
      })
      expect(asked).toMatchObject([{ destination: 'shop', entity: 'order:A1' }])
    })

  test('when it has ended, well or not, then the step goes', async () => {
    expect(await untilOf(0, rows('delivered', 'dead', 'skipped', 'superseded')).ends).toBe('goes')
    expect(await untilOf(0, []).ends).toBe('goes')
  })

  test('when others do not make what this event is about, then nobody is asked', async () => {
    const { asked, ends } = untilOf(0, rows('waiting'), null)
    expect(await ends).toBe('goes')
    expect(asked).toEqual([])
  })

  test('when it has waited for long, then it is looked at more rarely: a quarter of that time, a minute at most', async () => {
    expect(await untilOf(20 * SECOND, rows('waiting')).ends).toMatchObject({ in: 5 * SECOND })
    expect(await untilOf(HOUR, rows('waiting')).ends).toMatchObject({ in: MINUTE })
  })
})

test('a step waits for an earlier one about the same that was not tried; not for a later one, nor for one that was', async () => {
  const claim = claimOf({ destination: 'shop' }, { event: eventOf({}, { id: 10 }) })
  const guard = dependsOnEarlier('count-stock', () => 'count:12')
  const verdictOf = (more: Partial<DeliveryRow>) => {
    const row = { id: 3, event: 9, firstTriedAt: null, entity: 'count:12', ...more } as DeliveryRow
    return guarded(guard, claim, { deliveries: async () => [row] }).verdict
  }
  await expect(verdictOf({})).rejects.toMatchObject({
    message: 'delivery 3 goes first: it is of an earlier event',
    code: 'not-its-turn',
    until: NOW + SECOND,
  })
  for (const more of [{ event: 11 }, { firstTriedAt: NOW }, { entity: 'count:13' }])
    expect(await verdictOf(more)).toBeNull()
})

test('what takes back a step has nothing to do where that was superseded unsent, and else goes out', async () => {
  const verdictOf = (...states: DeliveryRow['state'][]) => {
    const deliveries = async () => states.map((state) => ({ state }) as DeliveryRow)
    const claim = claimOf({ destination: 'shop', entity: 'order:A1' })
    return guarded(undoes('submit-order'), claim, { deliveries }).verdict
  }
  expect(await verdictOf('superseded', 'superseded')).toEqual({
    superseded: 'shop never had it: submit-order was invalidated before it was made',
    code: 'nothing-left',
  })
  for (const states of [[], ['superseded', 'delivered'], Array(20).fill('superseded')])
    expect(await verdictOf(...states)).toBeNull()
})

test('what a destination was never told of is not withdrawn there', async () => {
  const verdictOf = (isAbout: boolean, more: Partial<Claim>) =>
    guarded(
      onlyIfNotified(() => isAbout),
      claimOf({ destination: 'shop' }, more),
    ).verdict
  const never = { superseded: 'shop was never told of it before', code: 'nothing-left' }
  expect(await verdictOf(true, { unacknowledged: true })).toEqual(never)
  expect(await verdictOf(false, { unacknowledged: true })).toBeNull()
  expect(await verdictOf(true, {})).toBeNull()
})

describe('what a customer agreed to', () => {
  const guard = respectsConsent({
    by: () => ({ customerId: '5', extId: 'C-5' }),
    without: (event, { agreedSendSms }) => (agreedSendSms === false ? null : { ...event, body: Buffer.from('rest') }),
  })
  const claim = (ago: number) => claimOf({}, { event: eventOf({}, { id: 10, receivedAt: NOW - ago }) })
  const verdictOf = async (id: number, said: object, kind = 'CustomerUpdated') => {
    const find = async () => [{ event: { id, kind } }] as never
    const event = (async () => ({ body: Buffer.from(JSON.stringify(customer({ customerId: 5, ...said }))) })) as never
    const verdict = await guarded(guard, claim(HOUR), { find, event }).verdict
    return verdict && 'event' in verdict ? [String(verdict.event.body), verdict.without] : verdict
  }
  const since = { gdprUpdatedDateTime: '2026-11-21T12:00:00', agreedSendEmail: false }

  test('and revoked since, at a POS, does not go out; what else there is does', async () => {
    expect(await verdictOf(11, { ...since, agreedSendSMS: true })).toEqual([
      'rest',
      'what the customer has revoked since, by event 11',
    ])
    expect(await verdictOf(11, { ...since, agreedSendSMS: false })).toMatchObject({
      superseded: 'invalidated: event 11 says that the customer has revoked it since',
    })
  })

  test('goes out where nothing of them came since, or of another customer', async () => {
    expect(await verdictOf(9, since)).toBeNull()
    expect(await verdictOf(11, since, 'SaleCreated')).toBeNull()
    expect(await verdictOf(11, { ...since, customerId: 6, customerExtId: 'C-6' })).toBeNull()
    expect(await verdictOf(11, { ...since, gdprUpdatedDateTime: '2026-11-19T12:00:00' })).toBeNull()
  })

  test('is not looked up for what came within a minute, or agrees to nothing', async () => {
    const isAsked = async (one: Guard, ago: number) => {
      const { asked, verdict } = guarded(one, claim(ago))
      expect(await verdict).toBeNull()
      return asked.length > 0
    }
    expect(await isAsked(guard, HOUR)).toBe(true)
    expect(await isAsked(guard, MINUTE)).toBe(false)
    expect(await isAsked(respectsConsent({ by: () => null, without: () => null }), HOUR)).toBe(false)
  })
})

describe('what is left of an event after what came later, and has been made', () => {
  const CLAIM = claimOf({ entity: 'count:12', firstTriedAt: NOW }, { event: { ...eventOf({ n: 0 }), id: 10 } })

  /** Rows of deliveries, the newest first, of events from this one down. */
  const rows = (from: number, count: number, state: DeliveryRow['state'] = 'delivered') =>
    Array.from({ length: count }, (_, n) => ({ id: from - n, event: from - n, state, code: null }) as DeliveryRow)

  function left(given: DeliveryRow[]) {
    const asked: DeliveryFilter[] = []
    const sources = {
      event: (async (id: number) => ({ body: Buffer.from(JSON.stringify({ n: id })) })) as never,
      deliveries: async (filter: DeliveryFilter) => {
        asked.push(filter)
        return given.filter(({ id }) => id < (filter.before ?? Number.POSITIVE_INFINITY)).slice(0, filter.limit)
      },
    }
    const guard = supersededBy({
      flows: ['set-stock'],
      elsewhere: () => null,
      leaves: (event, { body }) => ({ ...event, body }),
    })
    const { verdict } = guarded(guard, CLAIM, sources)
    return { asked, verdict: verdict.then((one) => one && 'event' in one && [String(one.event.body), one.without]) }
  }

  const leftAfter = (id: number) => [`{"n":${id}}`, `what delivery ${id}, of a later event, has said anew`]

  test('when it is of a line of its own, then only later ones of that line are looked for, from a minute before it on', async () => {
    const filterOf = async (more: object) => {
      const asked: DeliveryFilter[] = []
      const deliveries = async (filter: DeliveryFilter) => {
        asked.push(filter)
        return []
      }
      await guarded(supersededBy({ flows: ['x'], leaves: () => null, ...more }), CLAIM, { deliveries }).verdict
      return asked
    }
    const filter = { destination: 'bus', flows: ['x'], since: NOW - MINUTE, limit: 1_000 }
    expect(await filterOf({})).toEqual([{ ...filter, entity: 'count:12' }])
    expect(await filterOf({ elsewhere: () => 'level:12' })).toEqual([{ ...filter, entity: 'level:12' }])
    expect(await filterOf({ elsewhere: () => null })).toEqual([filter])
  })

  test('when one left nothing of it, then it is invalidated by that; one that only would have said the same counts as made', async () => {
    const verdictAfter = (row: Partial<DeliveryRow>, body: Uint8Array | null = Buffer.from('{}')) => {
      const guard = supersededBy({ flows: ['x'], leaves: () => null })
      const sources = {
        deliveries: async () => [{ id: 12, event: 11, state: 'delivered', code: null, ...row } as DeliveryRow],
        event: async () => ({ body }) as never,
      }
      return guarded(guard, CLAIM, sources).verdict
    }
    const superseded = 'invalidated: delivery 12, of a later event, has been made'
    expect(await verdictAfter({})).toEqual({ superseded, code: 'invalidated' })
    expect(await verdictAfter({ state: 'superseded', code: 'unchanged' })).toEqual({ superseded, code: 'invalidated' })
    expect(await verdictAfter({ state: 'superseded', code: 'invalidated' })).toBeNull()
    expect(await verdictAfter({ state: 'dead', code: 'unchanged' })).toBeNull()
    expect(await verdictAfter({}, null)).toBeNull()
  })

  test('when later ones say otherwise, then the last of them holds, and older ones are not asked', async () => {
    expect(await left([...rows(14, 3), ...rows(9, 3)]).verdict).toEqual(leftAfter(14))
  })

  test('when nothing later was made, then all of it is left', async () => {
    expect(await left([...rows(14, 4, 'waiting'), ...rows(9, 3)]).verdict).toBeNull()
  })

  test('when many were made before it, or wait, then they are looked through, and it goes on', async () => {
    const { asked, verdict } = left([...rows(3_010, 2_999, 'waiting'), ...rows(11, 5)])
    expect(await verdict).toEqual(leftAfter(11))
    expect(asked).toHaveLength(4)
    expect(await left(rows(10, 10)).verdict).toBeNull()
  })

  test('when a thousand were made since, then it is refused: it must be submitted anew', async () => {
    await expect(left(rows(1_500, 1_400)).verdict).rejects.toMatchObject({ code: 'long-since' })
  })

  test('when it was never tried, or begins no schedule anew and has a line of its own, then nobody looks', async () => {
    const may = async (delivery: object, more: object = {}) => {
      const guard = supersededBy({ flows: ['x'], leaves: () => null, ...more })
      const { asked, verdict } = guarded(guard, claimOf({ entity: 'a', ...delivery }))
      expect(await verdict).toBeNull()
      return asked.length > 0
    }
    expect(await may({ firstTriedAt: null })).toBe(false)
    expect(await may({ firstTriedAt: NOW, tries: 0 })).toBe(true)
    expect(await may({ firstTriedAt: NOW, tries: 2 })).toBe(false)
    expect(await may({ firstTriedAt: NOW, tries: 2 }, { elsewhere: () => null })).toBe(true)
  })
})

describe('what would be done although an event says that it is past that', () => {
  const PAST = { superseded: 'invalidated: event 5 says that it is past that', code: 'invalidated', mayLook: true }
  const HOLDING: NonNullable<Parameters<typeof stillTrue>[0]> = {
    ...{ orderOf: () => 'A1', status: 'Picked' },
    contradiction: () => 'nobody knows',
  }

  const holds = (status: string | null | Error, rule: typeof HOLDING | null = HOLDING, tries = 0) => {
    const asked: unknown[] = []
    const orders = {
      async status(...given: unknown[]) {
        asked.push(given)
        if (status instanceof Error) throw status
        return status
      },
    }
    const claim = claimOf({ tries }, { event: eventOf({}, { receivedAt: NOW - 5 }), invalidated: 5 })
    return { asked, verdict: guarded(stillTrue(rule), claim, { orders }).verdict }
  }

  test('when the platform says so, then it still holds; else not; and where it cannot tell, nobody knows', async () => {
    const { asked, verdict } = holds('Picked')
    expect(await verdict).toBeNull()
    expect(asked).toEqual([['A1', NOW - 5, signal]])
    expect(await holds('Expired').verdict).toEqual(PAST)
    await expect(holds(null).verdict).rejects.toThrow('event 5 contradicts it: nobody knows')
  })

  test('when the flow cannot tell by a status, or the event names no order, then it does not hold', async () => {
    for (const rule of [null, { ...HOLDING, orderOf: () => null }]) {
      const { asked, verdict } = holds('Picked', rule)
      expect(await verdict).toEqual(PAST)
      expect(asked).toEqual([])
    }
  })

  test('when the status cannot be had, then it is asked for three times; a refusal is an answer at once', async () => {
    const away = new RetryLaterError('away')
    for (const tries of [0, 1, 2])
      await expect(holds(away, HOLDING, tries).verdict).rejects.toMatchObject({ code: 'unread' })
    await expect(holds(away, HOLDING, 3).verdict).rejects.toMatchObject({ code: 'contradiction' })
    await expect(holds(new PermanentError('403')).verdict).rejects.toMatchObject({ code: 'contradiction' })
  })

  const another = (own: string | null, other: string | null | undefined) => {
    const body = other === undefined ? null : { body: Buffer.from(JSON.stringify(orderUpdate({ id: other }))) }
    const event = (async (id: number) => (id === 5 ? body : null)) as never
    const claim = claimOf({}, { event: eventOf(orderUpdate({ id: own })), invalidated: 5 })
    return guarded(stillTrue(), claim, { event }).verdict
  }

  test('when both tell an id of the platform’s, then these decide whether it is of another order of that number', async () => {
    expect(await another('one', 'other')).toBeNull()
    expect(await another('one', 'one')).toEqual(PAST)
  })

  test('when one of them tells none, or is not kept any more, then it is taken for the same', async () => {
    expect(await another(null, 'other')).toEqual(PAST)
    expect(await another('one', null)).toEqual(PAST)
    expect(await another('one', undefined)).toEqual(PAST)
    expect(await guarded(stillTrue(HOLDING), claimOf({}, { invalidated: null })).verdict).toBeNull()
  })
})
