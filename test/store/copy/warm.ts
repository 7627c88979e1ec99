import { copyStore as copy } from '../../../src/store/copy/copy.ts'
import type { CopyOptions } from '../../../src/store/copy/report.ts'
import { startWarmThread } from '../../warm-threads.ts'

/** As `copyStore`, with threads that are started already. */
export function copyStore(options: CopyOptions) {
  return copy({ startThread: startWarmThread, ...options })
}
