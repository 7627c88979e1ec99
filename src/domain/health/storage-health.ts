import type { Instant } from '../values/instant.ts'
import { type HealthItem, item, okItem } from './health.ts'

export interface StorageSnapshot {
  problem: string | null
  since: Instant | null
}

const NOT_FETCHED =
  'but does not fetch what was refused: it takes platform.baseUrl and server.publicUrl in config to look for that.'

const MENDS: Record<Around['ground'], string> = {
  file: 'df -h: make room, or end what else holds the file.',
  gone: 'do not stop the hub; what brings the file back stands below, at the disk.',
  server: 'start the database, see whether network and firewall let this machine through, or make room there.',
}

interface Around {
  fetches: boolean
  ground: 'file' | 'gone' | 'server'
}

export function storageHealth({ problem, since }: StorageSnapshot, around: Partial<Around> = {}): HealthItem {
  const { fetches = false, ground = 'file' } = around
  if (problem === null) return okItem('store', 'store', 'It can write.')
  const means = `${problem} Every webhook is refused (503), and nothing goes out.`
  const todo = `${MENDS[ground]} The hub goes on by itself, ${fetches ? 'and fetches what was refused.' : NOT_FETCHED}`
  return item('store', 'store', 'problem', means, todo, { since })
}

type DiskLevel = 'room' | 'fills' | 'no-bulk' | 'accepts-only'

interface DiskRoom {
  free: number
  size: number
}

const GB = 1024 ** 3

const STEPS: readonly { level: DiskLevel; taken: number; unless: number }[] = [
  { level: 'accepts-only', taken: 0.98, unless: 5 * GB },
  { level: 'no-bulk', taken: 0.95, unless: 20 * GB },
  { level: 'fills', taken: 0.85, unless: 100 * GB },
]

/** What can be repeated stops first: bulk and pulls, then deliveries and submissions. */
export function diskLevel({ free, size }: DiskRoom): DiskLevel {
  const taken = size > 0 ? 1 - free / size : 0
  return STEPS.find((step) => taken >= step.taken && free < step.unless)?.level ?? 'room'
}

export interface DiskSnapshot extends DiskRoom {
  folder: string
  file: string
  /** WAL size in bytes. */
  wal: number
  isGone: boolean
}

const MB = 1024 * 1024
const LITTLE = 1024 * MB
const HARDLY_ANY = 100 * MB

/** The WAL restarts at 64 MB: a longer one waits for a reader, a very long one fills the disk. */
const LONG_WAL = 256 * MB
const VERY_LONG_WAL = 2048 * MB

const STOPPED: Partial<Record<DiskLevel, string>> = {
  'no-bulk': ' Bulk deliveries and pulls wait until there is more.',
  'accepts-only':
    ' Only webhooks are taken: deliveries wait, and what own systems submit is refused (503) until there is more.',
}

export function diskHealth(disk: DiskSnapshot | null): HealthItem[] {
  if (disk === null) return []
  const { isGone, file } = disk
  const todo = `Do not stop the hub: what it has kept is in the file that it has open. ls -l /proc/<its process>/fd names it: copy that and its -wal to ${file} and ${file}-wal, then restart. If it was moved, move it back.`
  const gone = isGone ? [item('disk', file, 'problem', goneMeans(disk), todo, { fault: 'file' })] : []
  return [...gone, roomHealth(disk), ...walHealth(disk)]
}

/** Events go to an unnamed file and are lost when the hub ends. */
export function goneMeans({ file }: Pick<DiskSnapshot, 'file'>): string {
  return `${file} is not there any more: it was moved, deleted or replaced while the hub had it open.`
}

function roomHealth(disk: DiskSnapshot): HealthItem {
  const { free, size, folder } = disk
  const level = diskLevel(disk)
  const taken = size > 0 ? ` (${Math.floor((1 - free / size) * 100)} % is taken)` : ''
  const means = `${Math.floor(free / MB).toLocaleString('en-GB')} MB are left in ${folder}${taken}.${STOPPED[level] ?? ''}`
  const isProblem = level === 'no-bulk' || level === 'accepts-only' || free < HARDLY_ANY
  if (!isProblem && level !== 'fills' && free >= LITTLE) return okItem('disk', folder, means)
  const todo = `df -h ${folder}: make room; without any, every webhook is refused.`
  return item('disk', folder, isProblem ? 'problem' : 'note', means, todo)
}

function walHealth({ wal, file }: DiskSnapshot): HealthItem[] {
  if (wal < LONG_WAL) return []
  const means = `The log beside the store, ${file}-wal, has grown to ${Math.floor(wal / MB).toLocaleString('en-GB')} MB: something reads the file, and does not end.`
  const todo = `lsof ${file}: end what else has it open, such as a tool that looks into it, or a copy. The log then begins anew by itself.`
  const state = wal < VERY_LONG_WAL ? 'note' : 'problem'
  return [item('disk', 'wal', state, means, todo, { fault: 'log' })]
}

export interface LogFailure {
  code: string | null
  since: Instant
  lost: number
}

export function logHealth(failure: LogFailure | null): HealthItem[] {
  if (failure === null) return []
  const { code, since, lost } = failure
  const why = code === null ? 'Whoever takes the log does not read on' : `The log cannot be written (${code})`
  const means = `${why}${lost > 0 ? `, and ${lost.toLocaleString('en-GB')} lines of it are lost` : ''}. The hub works on without; alarms that nobody is sent stand in it alone.`
  return [item('log', 'log', 'problem', means, todoOf(code), { since })]
}

function todoOf(code: string | null): string {
  if (code === 'EPIPE') return 'Whatever took the log has ended: restart the hub together with it.'
  if (code === null) return 'See to what takes the standard output of the hub; what waits is then written.'
  return 'df -h: make room where the standard output of the hub goes; what waits is then written.'
}
