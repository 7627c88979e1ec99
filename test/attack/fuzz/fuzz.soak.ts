import { test } from 'vitest'
import { expectToStand, seedOf } from './stands.ts'

const seed = seedOf()

test(`when 100,000 requests are made of chance (FUZZ_SEED=${seed}), then the hub takes what it says, and fails at nothing`, {
  timeout: 600_000,
}, async () => {
  process.stdout.write(`${JSON.stringify(await expectToStand(100_000, seed))}\n`)
})
