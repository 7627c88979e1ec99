import { expect, test } from 'vitest'
import { killUnderLoad } from './harness.ts'
import { tell } from './tell.ts'

test('When the process is killed twenty times under load, and answers get lost, then every promise holds for every event that got a 2xx', async () => {
  const verdict = await killUnderLoad({
    kills: 20,
    lives: { from: 200, to: 4_000 },
    senders: 12,
    tick: 10,
    copies: 20,
    lost: 200,
  })
  tell(verdict)
  expect(verdict).toMatchObject({ broken: { publish: [], find: [], repeat: [], hold: [] }, outOfNothing: [], dead: 0 })
  expect(verdict.accepted).toBeGreaterThan(1_000)
})
