import { searching } from '../search-index.ts'
import { apiKeyReads, apiKeyWrites } from './api-keys.ts'
import { acts, auditReads, changing, eventVerbs } from './audit.ts'
import { bulkReads, bulkWrites } from './bulk-acts.ts'
import { userReads, userWrites } from './console-users.ts'
import { customerReads, customerWrites } from './customers.ts'
import { rewriteRows } from './erasing.ts'
import { dropAttempts, dropEvents } from './gone-events.ts'
import { jobReads, jobWrites } from './jobs.ts'
import { findingReads, findingWrites, mirrorReads, mirrorWrites } from './mirror.ts'
import { notes } from './notes.ts'
import { oldRecords } from './old-records.ts'
import { movePast } from './past.ts'
import { swapPayloads } from './payloads.ts'
import { reconciliationReads, reconciliationWrites } from './reconciliation.ts'
import { storeReads, storeWrites } from './stores.ts'

export const directory = { ...apiKeyReads, ...customerReads }
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
