import { dirname } from 'node:path'
import { loadAdapter } from '../../../../src/adapters/load.ts'
import { readProgramEnv } from '../../../../src/config/reading/env.ts'
import { loadConfig } from '../../../../src/config/reading/load.ts'
import { startHub } from '../../../../src/hub.ts'
import { createTestClock } from '../../../clock.ts'

/* The program at a clock that its parent puts forward: `AHEAD` milliseconds at its start, and by so many with each message. */

const clock = createTestClock()
clock.advance(Number(process.env.AHEAD))
process.on('message', (ms: number) => {
  clock.advance(ms)
  process.send?.(clock.now())
})
const { configPath } = readProgramEnv(process.env)
const { config } = await loadConfig({
  path: configPath,
  env: process.env,
  adapterOptions: async (adapter, folder) => (await loadAdapter(adapter, folder)).options,
})
// A clock that jumps looks like a loop that stands still.
await startHub(config, dirname(configPath), { clock, standsStill: null })
process.send?.('started')
