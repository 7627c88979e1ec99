import type { Archive } from '../../archive/archive.ts'
import type { Question } from '../../ports/attempt.ts'

/** The archive as a system that the hub has a look at. None: config has none. */
export function archiveToExamine(archive: Archive | null) {
  return archive === null ? [] : [{ name: 'archive', examine: ({ signal }: Question) => archive.examine(signal) }]
}
