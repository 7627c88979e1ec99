import { readConfig } from './app/read-config.ts'
import { located } from './config/load.ts'
import { createEnvReader } from './config/placeholders.ts'
import { UserError } from './domain/values/errors.ts'
import { listenForInterrupt } from './lib/interrupt.ts'
import { notifyReady } from './lib/systemd.ts'

/** For requests and calls under way at a stop (ms). */
const TIMEOUT_MS = 8_000

/** Kept connections behind a load balancer may send one more request (ms). */
const LINGER = 1_000

/** What an adapter left open ends with the process (ms). */
const LEFT_OPEN = 500

const EXIT_USAGE = 2

// Files are private by default.
process.umask(0o077)

try {
  const env = createEnvReader(process.env, process.execArgv)
  const read = () => readConfig(env())
  const loaded = await read()
  // Config is checked before the hub is loaded, which takes a second.
  const { startHub } = await import('./app/hub.ts')
  const hub = await startHub(loaded.config, loaded.folder, { read }).catch((error: unknown) => {
    throw located(error, loaded)
  })
  notifyReady(process.env)
  const stop = async () => {
    await hub.stop(TIMEOUT_MS, LINGER)
    setTimeout(() => process.exit(), LEFT_OPEN).unref()
  }
  // npm repeats the terminal's Ctrl-C: the second must not cut the stop short.
  listenForInterrupt().signal.addEventListener('abort', () => void stop())
  // At a terminal, SIGHUP means that the terminal is gone.
  if (!process.stdout.isTTY) process.on('SIGHUP', () => void hub.reload('SIGHUP').catch(() => {}))
} catch (error) {
  if (!(error instanceof UserError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = EXIT_USAGE
}
