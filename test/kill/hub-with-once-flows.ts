import { dirname } from 'node:path'
import { loadAdapter } from '../../src/adapters/index.ts'
import { startHub } from '../../src/app/hub.ts'
import { loadConfig } from '../../src/config/load.ts'
import { configPathIn } from '../../src/config/placeholders.ts'
import { flows } from '../../src/flows/index.ts'
import { publish } from '../../src/flows/publish.ts'

/*
 * The program with three more flows whose effect must happen once: one for each way to deal with an uncertain one. Every
 * sale makes a step in each of them.
 */

const once = { ...publish, atMostOnce: true, kinds: ['SaleCreated'] } as const

const configPath = configPathIn(process.env)
const { config } = await loadConfig({
  path: configPath,
  env: process.env,
  adapterOptions: async (adapter, folder) => (await loadAdapter(adapter, folder)).options,
})
await startHub(config, dirname(configPath), {
  flows: [
    ...flows,
    { ...once, name: 'find' },
    { ...once, name: 'repeat', whenInDoubt: 'repeat' },
    { ...once, name: 'hold', whenInDoubt: 'hold' },
  ],
})
