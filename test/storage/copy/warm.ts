import { copyStorage as copy } from '../../../src/storage/copy/copy.ts'
import { startWarmThread } from '../../warm-threads.ts'

/** With threads that are started already. */
export const copyStorage = (from: string, to: string) => copy(from, to, startWarmThread)
