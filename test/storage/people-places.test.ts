import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { PERSONAL_TABLE_NAMES, personalTable } from '../../src/storage/personal-places.ts'
import * as schema from '../../src/storage/sqlite/schema.ts'

/** Columns of text or bytes that say nothing of a customer: names of the config, words of the hub, hashes, and operators. */
const OF_NOBODY: Readonly<Record<string, readonly string[]>> = {
  events: ['kind', 'origin', 'subscription', 'state', 'body_hash', 'dismissed_by'],
  submissions: ['system', 'resource'],
  keys: ['key'],
  deliveries: ['flow', 'part', 'destination', 'urgency', 'batch', 'state', 'code', 'said'],
  attempts: ['outcome', 'code'],
  pauses: ['destination', 'urgency'],
  gone_events: ['digest', 'body_hash'],
  legal_holds: ['by'],
  audit: ['by', 'action', 'role', 'address', 'words', 'hash'],
  audit_chain: ['anchor', 'head'],
  bulk_acts: ['outcome', 'problem'],
  console_users: ['name', 'role', 'password', 'created_by', 'subject'],
  console_sessions: ['id', 'name'],
  search_index: ['secret'],
  job_runs: ['job'],
  api_keys: ['id', 'system', 'scopes', 'secret_hash', 'created_by'],
  stores: ['store_id', 'number', 'name', 'stock_id', 'country_code', 'currency', 'zone', 'former'],
  endpoint_uses: ['operation', 'address', 'first', 'came'],
  customers: ['country_code'],
  lookups: ['found', 'missing'],
  mirror: ['place', 'article', 'day', 'part'],
  findings: ['sort', 'day'],
  gaps: ['source', 'cause', 'kind', 'store_id', 'destination', 'day', 'state'],
  covered: ['source', 'scope'],
  watermarks: ['level', 'kind', 'store_id'],
}

test('When a table has a column of text or bytes, then it is looked through for a person, or is named among those of nobody', () => {
  const columns = [...Object.values(schema.shared), schema.keysMerged, schema.inFlight].flatMap((table) => {
    const { name, columns } = getTableConfig(table)
    return columns
      .filter((column) => ['string', 'buffer'].includes(column.dataType))
      .map((column) => `${name}.${column.name}`)
  })
  const looked = PERSONAL_TABLE_NAMES.flatMap((name) =>
    personalTable(name).columns.map((column) => `${name}.${column}`),
  )
  const ofNobody = Object.entries(OF_NOBODY).flatMap(([name, list]) => list.map((column) => `${name}.${column}`))

  expect(columns.length).toBeGreaterThan(80)
  expect(columns.filter((column) => !looked.includes(column) && !ofNobody.includes(column))).toEqual([])
  expect(
    [...looked, ...ofNobody].filter((column) => !columns.includes(column)),
    'that no table has',
  ).toEqual([])
  expect(looked.filter((column) => ofNobody.includes(column))).toEqual([])
})
