import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresDialect } from '../../../src/storage/postgres/reading.ts'
import { readAddress } from '../../../src/storage/postgres/server/address.ts'
import { askOn, connectionOptions } from '../../../src/storage/postgres/server/pool.ts'
import type { Query } from '../../../src/storage/read-models/dialect.ts'
import { createReadModels } from '../../../src/storage/read-models/read-models.ts'
import { STATEMENTS } from '../../../src/storage/tables/statement.ts'
import * as tables from '../../../src/storage/tables/tables.ts'
import { filesUnder, ROOT } from '../../house/imports.ts'
import { migratedSchema, NO_SERVER, SERVER } from '../postgres/schema.ts'
import { judge, plain, type Worry } from './grows.ts'
import { worriesOf } from './postgres-plans.ts'
import { REASONS } from './postgres-reasons.ts'
import { ROWS } from './postgres-rows.ts'
import { askAll } from './questions.ts'

/* The same of PostgreSQL: which plan the server makes where nearly all is done, and what is open is little. */

/** The statements that the hub prepares, as each file makes them; and those of questions, with what was asked. */
const prepared = new Set<string>()
const asked = new Map<string, { question: string; values: readonly unknown[] }>()

/** Where `prepared` comes from. */
const PREPARING = new URL('../../../src/storage/postgres/server/database.ts', import.meta.url).href

/** The same as PREPARING, which notes besides what is prepared. */
const NOTING = 'noting:prepared'
const noted = Symbol.for('statements that are prepared')

/** Loads a file once more, beside the one that other tests of this process have, and notes what it prepares. */
async function noteStatementsOf(file: string): Promise<void> {
  const real = await import(PREPARING)
  Object.assign(globalThis, {
    [noted]: {
      ...real,
      prepared(text: string) {
        prepared.add(text)
        return real.prepared(text)
      },
    },
  })
  const names = Object.keys(real).map(
    (name) => `export const ${name} = globalThis[Symbol.for('${noted.description}')].${name}`,
  )
  using _ = disposable(
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context)
        return context.parentURL?.endsWith('?noted') && found.url === PREPARING
          ? { url: NOTING, shortCircuit: true }
          : found
      },
      load(url, context, next) {
        return url === NOTING ? { format: 'module', source: names.join('\n'), shortCircuit: true } : next(url, context)
      },
    }),
  )
  await import(`${pathToFileURL(file)}?noted`)
}

function disposable(hooks: { deregister(): void }): Disposable {
  return { [Symbol.dispose]: () => hooks.deregister() }
}

const PLANNED = /^\s*(?:select|insert|update|delete|with)\b/

const FOLDER = 'src/storage/postgres'

describe.skipIf(SERVER === undefined)(`PostgreSQL${SERVER ? '' : ` (${NO_SERVER})`}`, () => {
  let schema: Awaited<ReturnType<typeof migratedSchema>>
  let client: pg.Client

  beforeAll(async () => {
    schema = await migratedSchema()
    client = new pg.Client(connectionOptions(readAddress(schema.url)))
    await client.connect()
    await client.query(ROWS)
    for (const file of filesUnder(join(ROOT, FOLDER)))
      if (/\bprepared[<(]/.test(readFileSync(join(ROOT, FOLDER, file), 'utf8')))
        await noteStatementsOf(join(ROOT, FOLDER, file))
    expect(tables.statements).toBeDefined()
    for (const { text } of STATEMENTS) prepared.add(text)
    let question = ''
    const recording = new Proxy(client, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name)
        return (statement: { text: string; values?: unknown[] }, values = statement.values ?? []) => {
          if (!asked.has(statement.text)) asked.set(statement.text, { question, values })
          return target.query(statement, values)
        }
      },
    })
    const query: Query = (statement, values) => askOn(recording, statement, values, true)
    await askAll(createReadModels(drizzle(recording) as never, postgresDialect, query), (one) => {
      question = one
    })
    // What can be read by an index is read by it, also of tables that are small here.
    await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan')
  })
  afterAll(async () => {
    await client.end()
    await schema[Symbol.asyncDispose]()
  })

  test('When a statement is run, then no scan and no sort of it grows with the store, but for a reason', async () => {
    const worries: Worry[] = []
    for (const text of [...prepared].filter((one) => PLANNED.test(one)))
      for (const what of await worriesOf(client, text, null))
        worries.push({ statement: plain(text), asked: 'the hub', what })
    for (const [text, { question, values }] of asked)
      for (const what of await worriesOf(client, text, values)) worries.push({ statement: text, asked: question, what })
    const { open, unused } = judge(worries, REASONS)
    expect(open).toEqual([])
    expect(unused).toEqual([])
  })

  test.each([
    `select count(*) from events where kind = $1`,
    `select id from deliveries where flow = $1 and tries > 0`,
    `select * from deliveries where flow = $1 order by id desc limit $2`,
  ])('When somebody runs "%s", then there is no reason for it', async (statement) => {
    const worries = (await worriesOf(client, statement, null)).map((what) => ({ statement, asked: 'a test', what }))
    expect(judge(worries, REASONS).open).not.toEqual([])
  })
})
