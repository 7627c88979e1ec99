import { type DiskLevel, type DiskRoom, diskLevel } from './disk-level.ts'
import { fine, type HealthItem } from './health.ts'

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
  return { area: 'disk', name: disk.file, state: 'problem', fault: 'file', since: null, means: goneMeans(disk), todo }
}

function roomHealth(disk: SeenDisk): HealthItem {
  const { free, size, folder } = disk
  const level = diskLevel(disk)
  const taken = size > 0 ? ` (${Math.floor((1 - free / size) * 100)} % is taken)` : ''
  const means = `${Math.floor(free / MB).toLocaleString('en-GB')} MB are left in ${folder}${taken}.${STOPPED[level]}`
  const state = stateOf(level, free)
  if (state === 'ok') return fine('disk', folder, means)
  const todo = `df -h ${folder}: make room; without any, every webhook is refused.`
  return { area: 'disk', name: folder, state, since: null, means, todo }
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
  return [{ area: 'disk', name: 'wal', state, fault: 'log', since: null, means, todo }]
}
