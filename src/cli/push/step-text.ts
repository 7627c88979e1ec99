/** How far a push, or a copy, has come. */
export interface Step {
  /** `taking`: all is sent, and the hub has not answered yet. */
  doing:
    | 'reading'
    | 'sending'
    | 'taking'
    | 'delivering'
    | 'copying'
    | 'verifying'
    | 'finishing'
    | 'changing'
    | 'planning'
    | 'running'
  done: number
  /** Null: nobody has counted. */
  of: number | null
  /** The unit that is counted. */
  unit: 'bytes' | 'items'
}

/** A step in words; `elapsed`: milliseconds since it began. Pure. */
export function stepText({ doing, done, of, unit }: Step, elapsed: number, bar: boolean): string {
  if (doing === 'running') return `${doing.padEnd(10)} ${duration(elapsed / 1_000)}`
  if (of === null) return `${doing.padEnd(10)} ${grouped(done)} so far  ${duration(elapsed / 1_000)}`
  if (doing === 'taking')
    return `${doing.padEnd(10)} all ${grouped(of)} are sent, the hub is taking them  ${duration(elapsed / 1_000)}`
  const part = of > 0 ? Math.min(1, done / of) : 0
  const rate = elapsed > 0 ? (done * 1_000) / elapsed : 0
  const left = rate > 0 && elapsed > 2_000 ? [`${duration((of - done) / rate)} left`] : []
  const filled = Math.round(part * BAR)
  const counted =
    unit === 'bytes'
      ? `${mb(done)} of ${mb(of)} MB`
      : `${grouped(done)} of ${grouped(of)}, ${grouped(Math.round(rate))}/s`
  const head = `${doing.padEnd(10)} ${bar ? `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ` : ''}${`${Math.floor(part * 100)} %`.padStart(5)}`
  return [head, counted, ...left].join('  ')
}

const BAR = 24

/** 1234567 as `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`
}
