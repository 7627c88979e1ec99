import { expect, test } from 'vitest'
import { expectToStand, seedOf } from './stands.ts'

const seed = seedOf()

test(`when 100,000 requests are made of chance (FUZZ_SEED=${seed}), then the hub takes what it says, and fails at nothing`, {
  timeout: 600_000,
}, async () => {
  const current = await expectToStand(100_000, seed)
  process.stdout.write(`${JSON.stringify(current)}\n`)
  // Of so many, chance changes little.
  expect(current.events).toBeGreaterThan(current.sent / 50)
  expect(current.bodies).toBeGreaterThan(current.sent / 150)
})
