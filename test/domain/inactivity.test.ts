import { describe, expect, test } from 'vitest'
import {
  type ActivityProfile,
  advanceProfile,
  createProfile,
  expectedSince,
  findInactivities,
  inactivityHealth,
  recordArrival,
} from '../../src/domain/inactivity.ts'
import { toInstant, toStoreLocal } from '../../src/domain/values/store-time.ts'

const MINUTE = 60_000
const OSLO = 'Europe/Oslo'
const at = (text: string) => toInstant(text, OSLO)

/** The weekday (Sunday: 0) and the hour in Oslo, of each hour that was asked about. */
const hours = new Map<number, { weekday: number; hour: number }>()
function hourOf(now: number) {
  const begin = now - (now % (60 * MINUTE))
  const known = hours.get(begin)
  if (known) return known
  const local = toStoreLocal(begin, OSLO)
  const weekday = new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDay()
  const found = { weekday, hour: Number(local.slice(11, 13)) }
  hours.set(begin, found)
  return found
}

/** Open from ten to eight on weekdays: one event every two minutes. */
const isOpen = (now: number) => {
  const { weekday, hour } = hourOf(now)
  return weekday >= 1 && weekday <= 5 && hour >= 10 && hour < 20
}

/** A store's life from one instant to another, looked at every five minutes. `speaks`: whether it does. */
function live(usual: ActivityProfile, from: number, to: number, speaks = isOpen): ActivityProfile {
  let now = usual
  for (let time = from; time <= to; time += MINUTE) {
    if (time % (5 * MINUTE) === 0) now = advanceProfile(now, time, from)
    if (time % (2 * MINUTE) === 0 && speaks(time)) now = recordArrival(now, time)
  }
  return now
}

const BEGIN = at('2026-11-02T00:00')
const learned = (store: string, until: string, kind = 'SaleCreated') =>
  live(createProfile(kind, store, OSLO, BEGIN), BEGIN, at(until))

const NOON = '2026-11-23T12:00'

describe('one store', () => {
  const store = learned('101', NOON)
  test.each([
    ['it spoke five minutes ago', '2026-11-23T12:05', []],
    ['it has been quiet for 25 minutes at noon on a Monday', '2026-11-23T12:30', ['store 101']],
    ['it has been quiet since', '2026-11-23T16:00', ['store 101']],
  ])('When %s, then it is judged so', (_, now, names) => {
    expect(findInactivities([store], at(now)).map(({ name }) => name)).toEqual(names)
  })

  test('When it is night, or Sunday, or a time at which config has it closed, then it is not quiet', () => {
    expect(findInactivities([learned('101', '2026-11-23T20:30')], at('2026-11-24T09:50'))).toEqual([])
    expect(findInactivities([learned('101', '2026-11-20T20:30')], at('2026-11-22T14:00'))).toEqual([])
    expect(findInactivities([store], at('2026-11-23T16:00'), () => 'closed')).toEqual([])
  })

  test('When it is new, then nothing is said before two weeks are known', () => {
    const week = learned('101', '2026-11-06T12:00')
    expect(findInactivities([week], at('2026-11-06T18:00'))).toEqual([])
  })

  test('When it keeps shorter hours from now on, then after some weeks that is usual', () => {
    const before = expectedSince({ ...store, last: at('2026-11-23T18:00') }, at('2026-11-23T20:00'))
    const early = (now: number) => isOpen(now) && hourOf(now).hour < 18
    const later = live(store, at('2026-11-23T12:01'), at('2027-03-01T12:00'), early)
    expect(before).toBeGreaterThan(50)
    expect(expectedSince({ ...later, last: at('2027-03-01T18:00') }, at('2027-03-01T20:00'))).toBeLessThan(1)
  })

  test('When something came while the clock was five days ahead, then the store is listened to once it is put back', () => {
    const ahead = at('2026-11-28T15:00')
    const met5 = [0, 1, 2, 3, 4].reduce((usual) => recordArrival(usual, ahead), advanceProfile(store, ahead, ahead))
    const back = advanceProfile(met5, at('2026-11-23T12:10'), at('2026-11-23T12:10'))
    expect(back.means).toEqual(store.means)
    const later = advanceProfile(back, at('2026-11-23T16:00'), at('2026-11-23T12:10'))
    expect(findInactivities([later], at('2026-11-23T16:00')).map(({ name }) => name)).toEqual(['store 101'])
  })

  test('When the hub was away, then nothing is learned of that hour', () => {
    const away = advanceProfile({ ...store, count: 0 }, at('2026-11-23T13:30'), at('2026-11-23T13:25'))
    expect(away.means).toEqual(store.means)
  })
})

describe('several', () => {
  const stores = ['101', '102', '103', '104'].map((store) => learned(store, NOON))

  test('When one kind stops and the others of its store go on, then that kind is named', () => {
    const sales = learned('101', NOON)
    const movements = recordArrival(learned('101', NOON, 'StockMovementCreated'), at('2026-11-23T12:39'))
    expect(findInactivities([sales, movements], at('2026-11-23T12:40')).map(({ name }) => name)).toEqual([
      '101 SaleCreated',
    ])
  })

  test('When most stores are quiet at once, then that is one thing: a note where the platform is well, else a problem', () => {
    const inactivities = findInactivities(stores, at('2026-11-23T13:00'))
    expect(inactivities).toMatchObject([{ name: 'most stores', stores: { quiet: 4, of: 4 } }])
    expect(inactivityHealth(inactivities, true)).toMatchObject([{ state: 'note' }])
    expect(inactivityHealth(inactivities, false)).toMatchObject([{ state: 'problem' }])
  })

  test('When one of four is quiet, then it is named alone', () => {
    const [first, ...others] = stores
    if (!first) throw new Error('There are four.')
    const speaking = others.map((one) => recordArrival(one, at('2026-11-23T12:58')))
    expect(findInactivities([first, ...speaking], at('2026-11-23T13:00')).map(({ name }) => name)).toEqual([
      'store 101',
    ])
  })
})

describe('nights in which clocks change', () => {
  const round = () => true
  for (const [name, begin, to, morning] of [
    ['back, so that an hour comes twice', '2026-09-28T00:00', '2026-10-25T00:30', '2026-10-25T05:00'],
    ['forward, so that an hour is left out', '2026-03-01T00:00', '2026-03-29T00:30', '2026-03-29T05:00'],
  ] as const)
    test(`When they go ${name}, then a store that speaks all night is not quiet, and one that stops is`, () => {
      const from = at(begin)
      const usual = live(createProfile('SaleCreated', '101', OSLO, from), from, at(to), round)
      const awake = live(usual, at(to) + MINUTE, at(morning), round)
      expect(findInactivities([awake], at(morning) + MINUTE)).toEqual([])
      expect(findInactivities([usual], at(to) + 30 * MINUTE).map(({ name }) => name)).toEqual(['store 101'])
    })
})
