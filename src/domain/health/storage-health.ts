import type { Instant } from '../values/instant.ts'
import { fine, type HealthItem, item } from './health.ts'

/** How the store was found. */
export interface SeenStore {
  /** Why it cannot write, as a sentence; null: it can. */
  problem: string | null
  /** Since when it has refused what came, as far as anything came; null: it has not. */
  since: Instant | null
}

const NOT_FETCHED =
  'but does not fetch what was refused: it takes platform.baseUrl and server.publicUrl in config to look for that.'

const MENDS: Record<Around['ground'], string> = {
  file: 'df -h: make room, or end what else holds the file.',
  gone: 'do not stop the hub; what brings the file back stands below, at the disk.',
  server: 'start the database, see whether network and firewall let this machine through, or make room there.',
}

/** More of a hub whose store cannot write. */
interface Around {
  /** Whether it looks for what it refused. */
  fetches: boolean
  /** Where the store is: in a file here, in one that is not there under its name any more, or on a server. */
  ground: 'file' | 'gone' | 'server'
}

const NOWHERE: Around = { fetches: false, ground: 'file' }

/** Whether the hub can take anything: `/health/ready` says this alone. */
export function storeHealth({ problem, since }: SeenStore, { fetches, ground }: Around = NOWHERE): HealthItem {
  if (problem === null) return fine('store', 'store', 'It can write.')
  const means = `${problem} Every webhook is refused (503), and nothing goes out.`
  const todo = `${MENDS[ground]} The hub goes on by itself, ${fetches ? 'and fetches what was refused.' : NOT_FETCHED}`
  return item('store', 'store', 'problem', means, todo, { since })
}

/** How full the disk of the store is: what the hub still does on it. */
type DiskLevel = 'room' | 'fills' | 'no-bulk' | 'accepts-only'

/** The room on a disk, in bytes. */
interface DiskRoom {
  free: number
  size: number
}

interface Step {
  level: DiskLevel
  /** The part of the disk that is taken. */
  taken: number
  /** A large disk has room all the same: with as much free, it is not meant (bytes). */
  unless: number
}

const GB = 1024 ** 3

/** The fullest first. */
const STEPS: readonly Step[] = [
  { level: 'accepts-only', taken: 0.98, unless: 5 * GB },
  { level: 'no-bulk', taken: 0.95, unless: 20 * GB },
  { level: 'fills', taken: 0.85, unless: 100 * GB },
]

/**
 * The level of a disk. What can be done or sent again later goes first: bulk and pulls, then every delivery and what own systems
 * submit. Webhooks are taken for as long as there is room, because nobody sends them again.
 */
export function diskLevel({ free, size }: DiskRoom): DiskLevel {
  const taken = size > 0 ? 1 - free / size : 0
  return STEPS.find((step) => taken >= step.taken && free < step.unless)?.level ?? 'room'
}

/** The disk that the store's file is on, and what lies there. */
export interface SeenDisk extends DiskRoom {
  folder: string
  /** The file of the store. */
  file: string
  /** Bytes of the log that SQLite writes beside it. */
  wal: number
  /** The file that the hub has open is not there under its name any more. */
  isGone: boolean
}

const MB = 1024 * 1024

/** With less than this a day's webhooks may fill it; with so little a busy hour does. */
const LITTLE = 1024 * MB
const HARDLY_ANY = 100 * MB

/** The log begins anew at 64 MB: one that is larger waits for somebody who reads; one that is very large fills the disk. */
const LONG_WAL = 256 * MB
const VERY_LONG_WAL = 2048 * MB

const STOPPED: Record<DiskLevel, string> = {
  room: '',
  fills: '',
  'no-bulk': ' Bulk deliveries and pulls wait until there is more.',
  'accepts-only':
    ' Only webhooks are taken: deliveries wait, and what own systems submit is refused (503) until there is more.',
}

/** Null: the store is on no disk of this machine. */
export function diskHealth(disk: SeenDisk | null): HealthItem[] {
  if (disk === null) return []
  return [...(disk.isGone ? [goneHealth(disk)] : []), roomHealth(disk), ...walHealth(disk)]
}

/** Events go to a file without a name then, and are gone when the hub ends. */
export function goneMeans({ file }: Pick<SeenDisk, 'file'>): string {
  return `${file} is not there any more: it was moved, deleted or replaced while the hub had it open.`
}

function goneHealth(disk: SeenDisk): HealthItem {
  const todo = `Do not stop the hub: what it has kept is in the file that it has open. ls -l /proc/<its process>/fd names it: copy that and its -wal to ${disk.file} and ${disk.file}-wal, then restart. If it was moved, move it back.`
  return item('disk', disk.file, 'problem', goneMeans(disk), todo, { fault: 'file' })
}

function roomHealth(disk: SeenDisk): HealthItem {
  const { free, size, folder } = disk
  const level = diskLevel(disk)
  const taken = size > 0 ? ` (${Math.floor((1 - free / size) * 100)} % is taken)` : ''
  const means = `${Math.floor(free / MB).toLocaleString('en-GB')} MB are left in ${folder}${taken}.${STOPPED[level]}`
  const state = stateOf(level, free)
  if (state === 'ok') return fine('disk', folder, means)
  return item('disk', folder, state, means, `df -h ${folder}: make room; without any, every webhook is refused.`)
}

function stateOf(level: DiskLevel, free: number): 'ok' | 'note' | 'problem' {
  if (level === 'no-bulk' || level === 'accepts-only' || free < HARDLY_ANY) return 'problem'
  return level === 'fills' || free < LITTLE ? 'note' : 'ok'
}

function walHealth({ wal, file }: SeenDisk): HealthItem[] {
  if (wal < LONG_WAL) return []
  const means = `The log beside the store, ${file}-wal, has grown to ${Math.floor(wal / MB).toLocaleString('en-GB')} MB: something reads the file, and does not end.`
  const todo = `lsof ${file}: end what else has it open, such as a tool that looks into it, or a copy. The log then begins anew by itself.`
  const state = wal < VERY_LONG_WAL ? 'note' : 'problem'
  return [item('disk', 'wal', state, means, todo, { fault: 'log' })]
}

/** Why lines of the log do not get where they go. */
export interface LogTrouble {
  /** A code of the system (`ENOSPC`); null: whoever takes them does not read on. */
  code: string | null
  since: Instant
  /** Lines that were lost. */
  lost: number
}

/** Null: lines get out. */
export function logHealth(trouble: LogTrouble | null): HealthItem[] {
  if (trouble === null) return []
  const { code, since, lost } = trouble
  const why = code === null ? 'Whoever takes the log does not read on' : `The log cannot be written (${code})`
  const means = `${why}${lost > 0 ? `, and ${lost.toLocaleString('en-GB')} lines of it are lost` : ''}. The hub works on without; alarms that nobody is sent stand in it alone.`
  return [item('log', 'log', 'problem', means, todoOf(code), { since })]
}

function todoOf(code: string | null): string {
  if (code === 'EPIPE') return 'Whatever took the log has ended: restart the hub together with it.'
  if (code === null) return 'See to what takes the standard output of the hub; what waits is then written.'
  return 'df -h: make room where the standard output of the hub goes; what waits is then written.'
}
