import { dirname, resolve } from 'node:path'
import { loadAdapter } from './adapters/load.ts'
import { readProgramEnv } from './config/env.ts'
import { loadConfig } from './config/load.ts'
import { UserError } from './domain/errors.ts'
import { startHub } from './hub.ts'

/** Requests and calls under way when the hub is told to stop get so long to finish (milliseconds). */
const PATIENCE = 8_000

/** Config or command line cannot be used. */
const EXIT_USAGE = 2

try {
  const { configPath } = readProgramEnv(process.env)
  const config = await loadConfig({
    path: configPath,
    env: process.env,
    adapterOptions: async (adapter, folder) => (await loadAdapter(adapter, folder)).options,
  })
  const hub = await startHub(config, dirname(resolve(configPath)))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void hub.stop(PATIENCE))
} catch (error) {
  if (!(error instanceof UserError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = EXIT_USAGE
}
