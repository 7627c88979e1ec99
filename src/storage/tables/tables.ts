import { searching } from '../search-index.ts'
import { acts, auditReads, bulkReads, bulkWrites, changing, eventVerbs, userReads, userWrites } from './audit.ts'
import { apiKeyWrites, customerWrites, directory, rewriteRows } from './directory.ts'
import { dropAttempts, dropEvents } from './gone-events.ts'
import {
  findingReads,
  findingWrites,
  mirrorReads,
  mirrorWrites,
  reconciliationReads,
  reconciliationWrites,
  storeReads,
  storeWrites,
} from './mirror.ts'
import { jobReads, jobWrites, notes } from './notes.ts'
import { oldRecords } from './old-records.ts'
import { movePast } from './past.ts'
import { swapPayloads } from './payloads.ts'

export const statements = {
  ...directory,
  ...auditReads,
  ...bulkReads,
  ...findingReads,
  ...jobReads,
  ...reconciliationReads,
  ...mirrorReads,
  ...notes,
  ...oldRecords,
  ...storeReads,
  ...userReads,
  dropAttempts,
}

export const transactions = {
  ...acts,
  ...apiKeyWrites,
  ...bulkWrites,
  ...changing,
  ...customerWrites,
  ...eventVerbs,
  ...findingWrites,
  ...jobWrites,
  ...reconciliationWrites,
  ...mirrorWrites,
  ...searching,
  ...storeWrites,
  ...userWrites,
  dropEvents,
  movePast,
  rewriteRows,
  swapPayloads,
}
