import { createCustomerSearch } from './customer-search.ts'
import { serveReads } from './serve-reads.ts'

/* Looks customers up, in a thread of its own: see directory.ts. */

serveReads(createCustomerSearch)
