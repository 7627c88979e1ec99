import { located } from './config/reading/load.ts'
import { createEnvReader } from './config/reading/placeholders.ts'
import { UserError } from './domain/values/errors.ts'
import { readConfig } from './hub/read-config.ts'
import { listenForInterrupt } from './lib/interrupt.ts'

/** Requests and calls under way when the hub is told to stop get so long to finish (milliseconds). */
const PATIENCE = 8_000

/** Behind a load balancer, connections are kept: who sends on one while the hub stops is still answered (milliseconds). */
const LINGER = 1_000

/** What is still open after the stop keeps the process alive for so long at most (milliseconds). */
const LEFT_OPEN = 500

/** Config or command line cannot be used. */
const EXIT_USAGE = 2

// Nothing that this process makes is for others on this machine, unless its maker says so.
process.umask(0o077)

try {
  const env = createEnvReader(process.env, process.execArgv)
  const read = () => readConfig(env())
  const loaded = await read()
  // Whoever has a config that cannot be used hears of it before the hub is loaded, which takes a second on a slow machine.
  const { startHub } = await import('./hub.ts')
  const hub = await startHub(loaded.config, loaded.folder, { read }).catch((error: unknown) => {
    throw located(error, loaded)
  })
  const stop = async () => {
    await hub.stop(PATIENCE, LINGER)
    // An adapter of the operator's own may have left something open; the hub does not wait for it.
    setTimeout(() => process.exit(), LEFT_OPEN).unref()
  }
  // npm passes on what the terminal sends to all: the second one of a Ctrl-C must not cut the stop short.
  listenForInterrupt().signal.addEventListener('abort', () => void stop())
  // At a terminal it means that the terminal is gone, and ends the process. What came of a reload is in the log.
  if (!process.stdout.isTTY) process.on('SIGHUP', () => void hub.reload('SIGHUP').catch(() => {}))
} catch (error) {
  if (!(error instanceof UserError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = EXIT_USAGE
}
