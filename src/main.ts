import { execFile } from 'node:child_process'
import { readConfig } from './app/read-config.ts'
import { located } from './config/load.ts'
import { createEnvReader } from './config/placeholders.ts'
import { UserError } from './domain/values/errors.ts'
import { listenForInterrupt } from './lib/interrupt.ts'

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
  notifyReady()
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

/**
 * For a systemd unit of `Type=notify`: the process is ready and, where the unit has a watchdog, twice in its time, the event
 * loop turns. Node has no datagram sockets of Unix; systemd brings a program that speaks through one.
 */
function notifyReady(): void {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = process.env
  if (!NOTIFY_SOCKET) return
  notify('READY=1')
  const microseconds = Number(WATCHDOG_USEC)
  if (microseconds > 0) setInterval(notify, microseconds / 2_000, 'WATCHDOG=1').unref()
}

/** Errors go unsaid: systemd misses the message, and acts on that. */
function notify(state: string): void {
  execFile('systemd-notify', [state], () => {})
}
