import { expect, test } from 'vitest'
import { eachInSlices } from '../../src/lib/slices.ts'

test('when there is work for long, then others have turns in between, and each thing is done once, in order', async () => {
  let turns = 0
  const timer = setInterval(() => (turns += 1), 0)
  const done: number[] = []
  await eachInSlices(
    Array.from({ length: 320 }, (_, n) => n),
    (one) => {
      done.push(one)
      const until = performance.now() + 0.5
      while (performance.now() < until);
    },
  )
  clearInterval(timer)
  expect(done).toEqual(Array.from({ length: 320 }, (_, n) => n))
  expect(turns).toBeGreaterThan(3)
})

test('when one of them fails, then it ends there', async () => {
  const done: number[] = []
  const work = eachInSlices([1, 2, 3], (one) => {
    if (one === 2) throw new Error('the second')
    done.push(one)
  })
  await expect(work).rejects.toThrow('the second')
  expect(done).toEqual([1])
})
