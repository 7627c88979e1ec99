import { fine, type HealthItem } from './health.ts'

/** The room left on the disk that the store is on, in bytes. */
export interface SeenDisk {
  free: number
  folder: string
}

const MB = 1024 * 1024

/** With less than this a day's webhooks may fill it; with so little a busy hour does. */
const LITTLE = 1024 * MB
const HARDLY_ANY = 100 * MB

/** Null: the store is on no disk of this machine. */
export function diskHealth(disk: SeenDisk | null): HealthItem[] {
  if (disk === null) return []
  const { free, folder } = disk
  const means = `${Math.floor(free / MB).toLocaleString('en-GB')} MB are left in ${folder}.`
  if (free >= LITTLE) return [fine('disk', folder, means)]
  const todo = `df -h ${folder}: make room; without any, every webhook is refused.`
  return [{ area: 'disk', name: folder, state: free < HARDLY_ANY ? 'problem' : 'note', since: null, means, todo }]
}
