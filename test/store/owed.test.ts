import { expect, test } from 'vitest'
import { isCompared, OWED_COLUMNS, type Owed } from '../../src/store/owed.ts'
import { owed } from './arrivals.ts'

/** A step as both stores write it. */
function rowOf(given: Partial<Owed>) {
  return Object.fromEntries(OWED_COLUMNS.map(({ name, read }) => [name, read(owed(given), { id: 5 })]))
}

test('When a step says little, then what it does not say is null, or not so', () => {
  expect(rowOf({})).toEqual({
    event_id: 5,
    flow: 'publish',
    part: '',
    destination: 'shop',
    urgency: 'prompt',
    entity: null,
    batch: null,
    once: false,
    due_at: null,
    latest_wins: false,
    digest: null,
    force: false,
    subject: null,
    version: null,
    effect: null,
    unless: null,
    yields: false,
    released: null,
  })
})

const SAID = {
  flow: 'levels',
  part: 'p',
  destination: 'bus',
  urgency: 'bulk',
  entity: 'a',
  batch: 'b',
  once: true,
  digest: 'd',
  force: true,
  subject: 's',
  version: 3,
  effect: 'paid',
  yields: true,
} as const
const RELEASED = { by: 'kari', reason: 'asked for it' }
const ALL: Partial<Owed> = { ...SAID, latestWins: true, notBefore: 9, unless: ['x', 'y'], released: RELEASED }

test('When a step says all, then all of it is written', () => {
  expect(rowOf(ALL)).toEqual({
    ...SAID,
    event_id: 5,
    latest_wins: true,
    due_at: 9,
    unless: '["x","y"]',
    released: JSON.stringify(RELEASED),
  })
})

test('When a store asks for the type of a column, then it is that of what is written there', () => {
  const types: Record<string, string> = { number: 'bigint', string: 'text', boolean: 'boolean' }
  const row = rowOf(ALL)
  expect(OWED_COLUMNS.map(({ name, type }) => [name, type])).toEqual(
    OWED_COLUMNS.map(({ name }) => [name, types[typeof row[name]]]),
  )
})

test('When the newest wins, then its event says how new it is, where the step says nothing of it', () => {
  const { version: _, ...given } = SAID
  expect(rowOf({ ...given, latestWins: true }).version).toBe(5)
  expect(rowOf({ ...given, latestWins: true, version: null }).version).toBeNull()
  expect(rowOf(given).version).toBeNull()
  expect(rowOf({ ...given, entity: null, subject: null, latestWins: true }).version).toBeNull()
})

test('When a list of facts is empty, then nothing can overtake the delivery', () => {
  expect(rowOf({ unless: [] }).unless).toBeNull()
})

test('When a digest or a version has nobody that it belongs to, then it is not written: there is nothing to compare with', () => {
  expect(rowOf({ digest: 'd', version: 3 })).toMatchObject({ digest: null, version: null })
  expect(rowOf({ digest: 'd', version: 3, subject: 's' })).toMatchObject({ digest: 'd', version: 3 })
  expect(rowOf({ digest: 'd', entity: 'a' })).toMatchObject({ digest: 'd', version: null })
  expect(rowOf({ version: 3, entity: 'a' })).toMatchObject({ digest: null, version: 3 })
})

test('When it has a digest or a version and a subject or an entity, then it is compared', () => {
  const compared = (given: Partial<Owed>) => isCompared(owed(given))
  expect(compared({ entity: 'a' })).toBe(false)
  expect(compared({ digest: 'd' })).toBe(false)
  expect(compared({ digest: 'd', entity: 'a' })).toBe(true)
  expect(compared({ digest: 'd', subject: 's' })).toBe(true)
  expect(compared({ version: 0, entity: 'a' })).toBe(true)
  expect(compared({ version: null, entity: 'a' })).toBe(false)
  expect(compared({ digest: 'd', subject: null, entity: 'a' })).toBe(true)
})
