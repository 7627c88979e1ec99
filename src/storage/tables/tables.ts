import { searching } from '../search-index.ts'
import { apiKeyWrites, userReads, userWrites } from './access.ts'
import { acts, auditReads, bulkReads, bulkWrites, changing, eventVerbs } from './audit.ts'
import { customerWrites, directory } from './directory.ts'
import { dropAttempts, dropEvents, dropPayloads } from './gone-events.ts'
import { jobReads, jobWrites } from './jobs.ts'
import { findingReads, findingWrites, mirrorReads, mirrorWrites, storeReads, storeWrites } from './mirror.ts'
import { notes } from './notes.ts'
import { oldRecords } from './old-records.ts'
import { writeCompressed } from './payloads.ts'
import { reconciliationReads, reconciliationWrites } from './reconciliation.ts'
import { rewriteRows } from './rewriting.ts'

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
  dropPayloads,
  rewriteRows,
  writeCompressed,
}
