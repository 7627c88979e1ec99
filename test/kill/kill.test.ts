import { expect, test } from 'vitest'
import { killUnderLoad } from './harness.ts'
import { tell } from './tell.ts'

test('When the process is killed under load, then every promise holds for every event that got a 2xx', async () => {
  const verdict = await killUnderLoad({
    kills: 1,
    lives: { from: 200, to: 1_200 },
    senders: 6,
    tick: 10,
    copies: 20,
    lost: 0,
  })
  tell(verdict)
  expect(verdict).toMatchObject({ broken: { publish: [], find: [], repeat: [], hold: [] }, outOfNothing: [], dead: 0 })
  expect(verdict.accepted).toBeGreaterThan(0)
})
