import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { readAddress } from '../src/storage/postgres/server/address.ts'

/** A server that hubs are measured on, each on a schema of its own, as each has a database file of its own elsewhere. */
export interface PostgresServer {
  /** For people who read the figures. */
  about: string
  /** Names a schema, which the first hub that starts there makes. */
  newSchema(): Schema
}

interface Schema extends Disposable {
  /** What `store.url` is to be. */
  url: string
}

const DROP = fileURLToPath(new URL('./drop-schema.ts', import.meta.url))

/** Throws where it cannot be reached. Its driver is loaded here, by those alone who ask for it. */
export async function findServer(url: string): Promise<PostgresServer> {
  const { connectionString, server } = readAddress(url)
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 })
  await client.connect()
  const { rows } = await client.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings
       where name in ('server_version', 'fsync', 'synchronous_commit', 'autovacuum') order by name`,
  )
  await client.end()
  const { server_version, ...settings } = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
  const set = Object.entries(settings).map(([name, setting]) => `${name} ${setting}`)
  const where = isHere(connectionString)
    ? 'on this machine: hubs, server and load share its cores'
    : 'on another machine'
  return {
    about: `PostgreSQL ${server_version} at ${server} (${set.join(', ')}), ${where}`,
    newSchema: () => newSchema(connectionString),
  }
}

/** Dropped when it is disposed of, and when this process ends before that. */
function newSchema(connectionString: string): Schema {
  const schema = `tillbridge_bench_${randomBytes(6).toString('hex')}`
  const url = new URL(connectionString)
  url.searchParams.set('schema', schema)
  // A process of its own, since what ends can wait for nothing else. The address may hold a password: not as an argument.
  const drop = () =>
    spawnSync(process.execPath, [DROP], { env: { ...process.env, BENCH_STORE: url.href }, stdio: 'inherit' })
  process.once('exit', drop)
  return {
    url: url.href,
    [Symbol.dispose]() {
      process.off('exit', drop)
      drop()
    },
  }
}

/** As the server's autovacuum has done some minutes after so much was written; some servers of tests have it switched off. */
export async function vacuum(url: string): Promise<void> {
  const { connectionString, schema } = readAddress(url)
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1`,
    [schema],
  )
  for (const { name } of rows) await client.query(`vacuum (analyze) ${name}`)
  await client.end()
}

function isHere(connectionString: string): boolean {
  return ['', 'localhost', '127.0.0.1', '[::1]'].includes(new URL(connectionString).hostname)
}
