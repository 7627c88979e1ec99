import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import type { PostgresServer } from './schemas.ts'
import { median } from './wire/latencies.ts'

/** What figures depend on, besides the code. */
export interface Machine {
  cpu: string
  cores: number
  memoryGb: number
  node: string
  /** Of the last minute before the bench: what else runs here. */
  loadAverage: number
  /** Where the databases of the bench are (TMPDIR chooses it), and what a commit costs there at least. */
  folder: string
  fsyncMs: number
  /** The server that holds them instead. */
  store: string | null
}

export function describeMachine(postgres: PostgresServer | null): Machine {
  const cores = cpus()
  return {
    cpu: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    loadAverage: Number((loadavg()[0] ?? Number.NaN).toFixed(2)),
    folder: tmpdir(),
    fsyncMs: measureFsync(),
    store: postgres?.about ?? null,
  }
}

function measureFsync(): number {
  const folder = mkdtempSync(join(tmpdir(), 'tillbridge-bench-'))
  const file = openSync(join(folder, 'fsync'), 'w')
  const page = Buffer.alloc(4_096)
  const times = Array.from({ length: 50 }, () => {
    const startedAt = performance.now()
    writeSync(file, page)
    fsyncSync(file)
    return performance.now() - startedAt
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return Number(median(times).toFixed(3))
}
