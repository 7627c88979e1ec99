import { dirname } from 'node:path'
import { loadAdapter } from '../../src/adapters/index.ts'
import { startHub } from '../../src/app/hub.ts'
import { loadConfig } from '../../src/config/load.ts'
import { configPathIn } from '../../src/config/placeholders.ts'

/* The program, for which a second is a stall, so that tests need not wait for five. */

const configPath = configPathIn(process.env)
const { config } = await loadConfig({
  path: configPath,
  env: process.env,
  adapterOptions: async (adapter, folder) => (await loadAdapter(adapter, folder)).options,
})
await startHub(config, dirname(configPath), { stallMs: 1_000 })
