import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

const TICKS_PER_MS = 0.1

/**
 * Watches what else runs on this machine, as a share of all its cores; NaN where there is no /proc. Exact only while the
 * bench has no children, at both ends: their time is known once they have ended.
 */
export function watchOthers(): () => number {
  const start = measure()
  return () => {
    const end = measure()
    return (end.busy - start.busy - (end.own - start.own)) / (end.all - start.all)
  }
}

/** In milliseconds of processor time. */
function measure() {
  const times = cpus().map((core) => core.times)
  const all = times.reduce((sum, { user, nice, sys, irq, idle }) => sum + user + nice + sys + irq + idle, 0)
  const idle = times.reduce((sum, core) => sum + core.idle, 0)
  return { all, busy: all - idle, own: ownTime() }
}

/** Of this process and its ended children: fields 14 to 17 of proc(5) stat, the name in brackets being the second. */
function ownTime(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / TICKS_PER_MS, 0)
  } catch {
    return Number.NaN
  }
}
