import { dirname, resolve } from 'node:path'
import { loadAdapter } from '../adapters/load.ts'
import type { Config } from '../config/config.ts'
import { type Env, readProgramEnv } from '../config/env.ts'
import { loadConfig } from '../config/load.ts'

/** The config that this environment names, checked with its adapters, and the folder that its paths begin in. */
export async function readConfig(env: Env): Promise<{ config: Config; path: string; folder: string }> {
  const { configPath } = readProgramEnv(env)
  const config = await loadConfig({
    path: configPath,
    env,
    adapterOptions: async (adapter, folder) => (await loadAdapter(adapter, folder)).options,
  })
  return { config, path: configPath, folder: dirname(resolve(configPath)) }
}
