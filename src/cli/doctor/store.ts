import { openToOthers } from '../../store/file-rights.ts'
import type { Finding } from './finding.ts'

/** Whether others on this machine may read the store; nothing where it is in no file that is here. */
export function storeOf(url: string): Finding[] {
  const files = openToOthers(url)
  if (files.length === 0) return []
  const shown = files.map(({ path, rights }) => `${path} (${rights})`).join(', ')
  return [
    {
      check: 'store',
      state: 'note',
      says: `Others on this machine than its owner may read it: ${shown}. It holds people's data.`,
      todo: 'chmod 600, unless the group reads it on purpose.',
    },
  ]
}
