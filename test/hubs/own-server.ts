import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../sandbox/demo/free-port.ts'

const run = promisify(execFile)

const DEBIAN = '/usr/lib/postgresql'

/** Why no server can be made here; null: one can. */
export const NO_OWN_SERVER =
  bin() === null
    ? 'PostgreSQL is not installed here'
    : process.getuid?.() === 0 && !existsSync('/usr/sbin/runuser')
      ? 'root cannot run PostgreSQL, and there is no runuser'
      : null

function bin(): string | null {
  if (!existsSync(DEBIAN)) return null
  const [version] = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a))
  return version === undefined ? null : `${DEBIAN}/${version}/bin`
}

/** A server that a test may stop, cut and start again; gone with the test. */
export interface OwnServer extends AsyncDisposable {
  url: string
  stop(): Promise<void>
  start(): Promise<void>
  sql(statement: string): Promise<pg.QueryResult>
  sqlIn(database: string, statement: string): Promise<pg.QueryResult>
}

export async function startOwnServer(): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-postgres-'))
  const port = await freePort()
  const data = join(folder, 'data')
  if (process.getuid?.() === 0) await chown(folder, ...(await postgresUser()))
  await program('initdb', '-D', data, '-U', 'owner', '--auth', 'trust', '--no-sync', '-E', 'UTF8')
  const url = `postgres://owner@127.0.0.1:${port}/postgres`
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`
  const start = () => program('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start')
  const stop = () => program('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')
  await start()
  return {
    url,
    start,
    stop,
    sql: (statement) => ask(url, statement),
    sqlIn: (database, statement) => ask(url.replace(/[^/]*$/, database), statement),
    async [Symbol.asyncDispose]() {
      if ((await readdir(data)).includes('postmaster.pid')) await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function ask(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Root may not run the server: the user that Debian makes for it does. */
async function program(name: string, ...given: string[]): Promise<void> {
  const file = join(bin() ?? '', name)
  const [command, ...args] =
    process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', file, ...given] : [file, ...given]
  // Whoever starts a server must not wait for its output to end.
  await run(command ?? file, args, { cwd: tmpdir() })
}

async function postgresUser(): Promise<[number, number]> {
  const ids = await Promise.all(['-u', '-g'].map(async (which) => (await run('id', [which, 'postgres'])).stdout))
  return ids.map(Number) as [number, number]
}
