import { loadAdapter } from '../adapters/index.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import { configPathIn, type Env } from '../config/placeholders.ts'

export async function readConfig(env: Env): Promise<LoadedConfig> {
  return await loadConfig({
    path: configPathIn(env),
    env,
    adapterOptions: async (adapter, folder) => (await loadAdapter(adapter, folder)).options,
  })
}
