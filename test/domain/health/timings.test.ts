import { expect, test } from 'vitest'
import { createHistogram, quantileOf } from '../../../src/domain/health/timings.ts'

test('A quantile lies in the bucket that holds it, between its bounds; above the last bound it is that bound', () => {
  const histogram = createHistogram([0.1, 0.2, 1])
  expect(quantileOf(histogram.values(), 0.5)).toBeNull()
  for (const ms of [50, 150, 150, 150]) histogram.observe(ms)
  expect(quantileOf(histogram.values(), 0.25)).toBeCloseTo(0.1)
  expect(quantileOf(histogram.values(), 0.5)).toBeCloseTo(0.1 + 0.1 / 3)
  expect(quantileOf(histogram.values(), 1)).toBeCloseTo(0.2)
  for (let n = 0; n < 96; n += 1) histogram.observe(60_000)
  expect(quantileOf(histogram.values(), 0.95)).toBe(1)
})
