import { test } from 'vitest'
import { playAndProve } from './two-weeks/two-weeks-dbg.ts'

test('short', async () => {
  await playAndProve((process.env.DIALECT ?? 'facts') as 'facts', { days: Number(process.env.DAYS ?? 3), killsOneIn: 8, offFrom: 1 })
}, 900_000)
