import { loadAdapter } from '../adapters/index.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import { configPathIn, type Env } from '../config/placeholders.ts'

export async function readConfig(env: Env): Promise<LoadedConfig> {
  const adapterOptions = async (adapter: string, folder: string) => (await loadAdapter(adapter, folder)).options
  return await loadConfig({ path: configPathIn(env), env, adapterOptions })
}
