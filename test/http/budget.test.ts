import { expect, test } from 'vitest'
import { createBudget } from '../../src/http/body.ts'

const KB = 1024

function budget({ most = 1_000 * KB, reserve = 400 * KB, patience = 30_000 } = {}) {
  const time = { now: 0 }
  const cut: string[] = []
  const made = createBudget({ most, reserve, inflated: 1_000, patience, now: () => time.now })
  return { ...made, time, cut, open: (name: string) => made.open((why) => cut.push(`${name}: ${why}`)) }
}

test('when a body begins small and grows, then it is a large one from then on', () => {
  const { open } = budget()
  open('large').take(599 * KB)
  const growing = open('growing')
  expect(growing.take(60 * KB)).toBe(true)
  expect(growing.take(10 * KB)).toBe(false)
})

test('when there is room for nothing, then a small body gets the room of the one that has been coming longest', () => {
  const { open, cut, time } = budget()
  for (let n = 0; n < 20; n++) open(`slow ${n}`).take(50 * KB)
  time.now = 2_000
  expect(open('honest').take(2 * KB)).toBe(true)
  expect(cut).toEqual(['slow 0: over-budget'])
})

test('when those that are coming have only just begun, or are whole, then nobody is cut off, and the newcomer is refused', () => {
  const { open, cut, time } = budget()
  for (let n = 0; n < 10; n++) {
    const share = open(`whole ${n}`)
    share.take(50 * KB)
    share.whole()
  }
  time.now = 2_000
  for (let n = 0; n < 10; n++) open(`young ${n}`).take(50 * KB)
  expect(open('honest').take(2 * KB)).toBe(false)
  expect(cut).toEqual([])
})

test('when a body has been coming for too long, then it is cut off, and its bytes are free', () => {
  const { open, cut, time, scan, inFlightBytes } = budget({ patience: 10_000 })
  open('slow').take(50 * KB)
  time.now = 6_000
  open('young').take(10 * KB)
  time.now = 10_000
  scan()
  expect(cut).toEqual(['slow: too-slow'])
  expect(inFlightBytes()).toBe(10 * KB)
})

test('what the bodies of one credential become by decompression is limited a minute, and another credential has its own', () => {
  const { inflate, time } = budget()
  expect([inflate('webhooks', 600), inflate('webhooks', 400), inflate('webhooks', 1)]).toEqual([true, true, false])
  expect(inflate('key 1', 1_000)).toBe(true)
  time.now += 60_000
  expect(inflate('webhooks', 1_000)).toBe(true)
})
