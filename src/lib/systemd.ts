import { execFile } from 'node:child_process'

/**
 * For a unit of `Type=notify`: says that the process is ready and, where the unit has a watchdog, twice in its time that the
 * event loop turns. Does nothing elsewhere. Node has no datagram sockets of Unix; systemd brings a program that speaks through one.
 */
export function notifyReady(env: NodeJS.ProcessEnv): void {
  if (!env.NOTIFY_SOCKET) return
  notify('READY=1')
  const microseconds = Number(env.WATCHDOG_USEC)
  if (microseconds > 0) setInterval(notify, microseconds / 2_000, 'WATCHDOG=1').unref()
}

/** Errors go unsaid: systemd misses the message, and acts on that. */
function notify(state: string): void {
  execFile('systemd-notify', [state], () => {})
}
