import { dirname } from 'node:path'
import { loadAdapter } from '../../../../src/adapters/index.ts'
import { startHub } from '../../../../src/app/hub.ts'
import { loadConfig } from '../../../../src/config/load.ts'
import { configPathIn } from '../../../../src/config/placeholders.ts'
import { createTestClock } from '../../../clock.ts'

/* The program on a machine whose clock jumps (machine-clock.mjs): what is due by then goes off. */

const clock = createTestClock()
process.on('message', () => {
  clock.advance(0)
  process.send?.('later')
})
const configPath = configPathIn(process.env)
const { config } = await loadConfig({
  path: configPath,
  env: process.env,
  adapterOptions: async (adapter, folder) => (await loadAdapter(adapter, folder)).options,
})
await startHub(config, dirname(configPath), { clock })
process.send?.('started')
