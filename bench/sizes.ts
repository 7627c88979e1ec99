import Database from 'better-sqlite3'
import pg from 'pg'
import { fileOf, isPostgres } from '../src/storage/open.ts'
import { readAddress } from '../src/storage/postgres/server/address.ts'

/** How large a store is (bytes), and its tables and indexes, the largest first. */
export interface Sizes {
  total: number
  parts: { name: string; bytes: number }[]
}

/** Without what is free: pages of the file, and rows of the server that nobody sees any more. */
export async function sizesOf(url: string): Promise<Sizes> {
  const parts = isPostgres(url) ? await ofServer(url) : ofFile(fileOf(url))
  return {
    total: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    parts: parts.filter(({ bytes }) => bytes > 100_000),
  }
}

function ofFile(file: string): Sizes['parts'] {
  using opened = {
    db: new Database(file, { readonly: true }),
    [Symbol.dispose]() {
      this.db.close()
    },
  }
  return opened.db
    .prepare<[], { name: string; bytes: number }>(
      'select name, sum(pgsize) as bytes from dbstat group by name order by 2 desc',
    )
    .all()
}

async function ofServer(url: string): Promise<Sizes['parts']> {
  const { connectionString, schema } = readAddress(url)
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    // Rows that went leave their room behind: a table is written anew, as it would be without them.
    for (const table of ['payloads', 'deliveries', 'in_flight']) await client.query(`vacuum full ${schema}.${table}`)
    const { rows } = await client.query<{ name: string; bytes: string }>(
      `select c.relname as name, case when c.relkind = 'r' then pg_table_size(c.oid) else pg_relation_size(c.oid) end as bytes
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1 and c.relkind in ('r', 'i') order by 2 desc`,
      [schema],
    )
    return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }))
  } finally {
    await client.end()
  }
}
