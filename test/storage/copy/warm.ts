import type { CopyOptions } from '../../../src/storage/copy/copy.ts'
import { copyStorage as copy } from '../../../src/storage/copy/copy.ts'
import { startWarmThread } from '../../warm-threads.ts'

/** As `copyStore`, with threads that are started already. */
export function copyStorage(options: CopyOptions) {
  return copy({ startThread: startWarmThread, ...options })
}
