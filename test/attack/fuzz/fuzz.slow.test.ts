import { test } from 'vitest'
import { expectToStand, seedOf } from './stands.ts'

const seed = seedOf()

test(`when 1,000 requests are made of chance (FUZZ_SEED=${seed}), then the hub takes what it says, and fails at nothing`, async () => {
  await expectToStand(1_000, seed)
})
