import type { Instant } from '../values/instant.ts'
import { type HealthItem, item, okItem } from './health.ts'
import { type HealthMessage, inEnglish, message } from './texts.ts'

export interface StorageSnapshot {
  problem: string | null
  since: Instant | null
}

interface Around {
  fetches: boolean
  ground: 'file' | 'gone' | 'server'
}

export function storageHealth({ problem, since }: StorageSnapshot, around: Partial<Around> = {}): HealthItem {
  const { fetches = false, ground = 'file' } = around
  if (problem === null) return okItem('store', 'store', 'It can write.')
  const todo = message(fetches ? 'todo.store' : 'todo.store.unfetched', { first: message(`todo.store.${ground}`) })
  return item('store', 'store', 'problem', message('health.store', { problem }), todo, { since })
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

export function diskHealth(disk: DiskSnapshot | null): HealthItem[] {
  if (disk === null) return []
  const { isGone, file } = disk
  const todo = message('todo.disk.gone', { file })
  const gone = isGone ? [item('disk', file, 'problem', goneOf(disk), todo, { fault: 'file' })] : []
  return [...gone, roomHealth(disk), ...walHealth(disk)]
}

/** Events go to an unnamed file and are lost when the hub ends. */
function goneOf({ file }: Pick<DiskSnapshot, 'file'>): HealthMessage {
  return message('health.disk.gone', { file })
}

export function goneMeans(disk: Pick<DiskSnapshot, 'file'>): string {
  return inEnglish(goneOf(disk))
}

function roomHealth(disk: DiskSnapshot): HealthItem {
  const { free, size, folder } = disk
  const level = diskLevel(disk)
  const percent = Math.floor((1 - free / size) * 100)
  const taken = size > 0 ? message('health.disk.taken', { percent }) : ''
  const stops = level === 'no-bulk' || level === 'accepts-only'
  const stopped = stops ? message(`health.disk.${level}`) : ''
  const says = message('health.disk.room', { mb: { amount: Math.floor(free / MB) }, folder, taken, stopped })
  const isProblem = stops || free < HARDLY_ANY
  if (!isProblem && level !== 'fills' && free >= LITTLE) return okItem('disk', folder, inEnglish(says))
  return item('disk', folder, isProblem ? 'problem' : 'note', says, message('todo.disk.room', { folder }))
}

function walHealth({ wal, file }: DiskSnapshot): HealthItem[] {
  if (wal < LONG_WAL) return []
  const says = message('health.disk.wal', { file, mb: { amount: Math.floor(wal / MB) } })
  const state = wal < VERY_LONG_WAL ? 'note' : 'problem'
  return [item('disk', 'wal', state, says, message('todo.disk.wal', { file }), { fault: 'log' })]
}

export interface LogFailure {
  code: string | null
  since: Instant
  lost: number
}

export function logHealth(failure: LogFailure | null): HealthItem[] {
  if (failure === null) return []
  const { code, since, lost } = failure
  const why = code === null ? message('health.log.unread') : message('health.log.failed', { code })
  const says = message('health.log', {
    why,
    lost: lost > 0 ? message('health.log.lost', { lines: { amount: lost } }) : '',
  })
  const todo = code === 'EPIPE' ? 'todo.log.ended' : code === null ? 'todo.log.unread' : 'todo.log.failed'
  return [item('log', 'log', 'problem', says, message(todo), { since })]
}
