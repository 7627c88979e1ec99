import { test } from 'vitest'
import { expectToStand, seedOf } from './stands.ts'

const seed = seedOf()

test(`when 3,000 requests are made of chance (FUZZ_SEED=${seed}), then the hub takes what it says, and fails at nothing`, {
  timeout: 60_000,
}, async () => {
  await expectToStand(3_000, seed)
})
